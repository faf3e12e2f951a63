"""What the calls of models took: the limits they keep, the costs of a book, the trace of a run."""
