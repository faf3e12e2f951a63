"""How a book changes from chapter to chapter."""
