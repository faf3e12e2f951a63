"""The report: one HTML file with drawn charts, made of plain data."""
