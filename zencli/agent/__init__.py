"""The agents of the loop and their tools."""
