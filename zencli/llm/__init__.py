"""Models: one small interface, endpoint profiles, structured replies, usage."""
