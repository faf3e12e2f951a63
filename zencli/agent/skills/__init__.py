"""Skills: instructions that an agent can read when it needs them. Nothing in one is ever run."""
