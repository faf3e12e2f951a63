"""What agents are reminded of: the book by rank, the files at work, what was said before."""
