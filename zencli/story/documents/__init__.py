"""The book's own Markdown files: written from data, and read back after the author edited them."""
