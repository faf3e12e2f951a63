"""Pure data: book, plan, delta, state, findings; the fold."""
