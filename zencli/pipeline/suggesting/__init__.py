"""The verb ``suggest``: what the author could ask for next."""
