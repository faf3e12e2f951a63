"""The Model Context Protocol: verbs and reading tools for other programs' agents."""
