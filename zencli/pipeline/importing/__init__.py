"""Taking in novels that exist already."""
