"""Finished books: txt, md, epub."""
