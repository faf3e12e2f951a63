"""What was: history, undo, restore."""
