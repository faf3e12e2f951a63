"""The book folder: layout, transactions, history, lock, runs."""
