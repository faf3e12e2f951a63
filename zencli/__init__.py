"""zencli: from a brief to a finished novel, chapter by chapter, on plain files."""

__version__ = "0.1.0"
