"""Saying what is wrong with a book, and mending it."""
