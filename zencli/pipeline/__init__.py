"""The Runner and the stages of making a book, one module a stage."""
