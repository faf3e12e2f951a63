"""Pages in a browser, for tests: what is shown, said and pressed, and whether it can be read."""

from pathlib import Path
from typing import Any


class Browser:
    """The browser, for one page after another: ``run`` runs JavaScript in the page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.run = driver.execute_script

    def show(self, page: Path, width: int = 1000, scheme: str = "light") -> None:
        """Open a page in a window so wide, a phone's when it is narrow."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        self.driver.get(page.as_uri())

    def said(self) -> list[Any]:
        """What stands in the console since it was asked for last."""
        return list(self.driver.get_log("browser"))

    def press(self, key: str) -> Any:
        """Press a key where the focus is; returns the element that has it after that."""
        self.driver.switch_to.active_element.send_keys(key)
        return self.driver.switch_to.active_element


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio of two CSS colours ``rgb(r, g, b)``."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
