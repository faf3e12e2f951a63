"""Learning a style from a sample, and showing what was learnt."""
