"""Choosing, budgeting and rendering what a model sees."""
