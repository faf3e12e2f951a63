"""Typer commands: options in, results out; the only place that knows the terminal."""
