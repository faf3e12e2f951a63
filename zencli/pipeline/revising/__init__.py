"""Revising: attempts, what must be kept, the decision, what lies beside the chapter."""
