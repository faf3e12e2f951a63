"""The tools of the agents: one module each, one registry."""
