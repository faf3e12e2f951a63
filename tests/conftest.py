"""Every test: no real request leaves the machine, and nothing of the user's own is read."""

import os
from pathlib import Path

import pytest

os.environ["ZENCLI_FORBID_REQUESTS"] = "1"

_OURS = ("ZENCLI_", "OPENAI_", "XDG_CONFIG_HOME", "NO_COLOR", "FORCE_COLOR")
_KEPT = ("ZENCLI_FORBID_REQUESTS", "ZENCLI_CACHE")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration, key or endpoint of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith(_OURS) and name not in _KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
