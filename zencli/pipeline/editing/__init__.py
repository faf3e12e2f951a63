"""What the author did by hand: noticed, and taken over by ``sync``."""
