"""What the configuration files say: models, limits, tables."""
