"""Judging: the parts of an audit, one verb, waivers."""
