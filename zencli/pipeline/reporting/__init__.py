"""The verb ``report``: collecting what is drawn. The drawing itself is ``export/report``."""
