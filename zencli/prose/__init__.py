"""Pure text: counting, locating, repetition, checks."""
