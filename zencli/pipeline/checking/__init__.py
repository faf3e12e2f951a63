"""The checks of a book: settings, an index of what was written, many chapters at once."""
