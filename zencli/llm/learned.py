"""What was learned about an endpoint, kept in the user's cache: one small file a model and URL.

Deleting a file costs a refused request or two and nothing else. The name of a file is a digest, and
nothing in it tells the URL, which may hold a secret.
"""

import contextlib
import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from zencli.llm.lessons import LEARNED
from zencli.llm.profiles import Profile
from zencli.store.atomic import write_atomic

LASTS = 14 * 24 * 3600.0
"""Seconds after which a lesson is learned anew: endpoints get better."""

KEPT = frozenset(LEARNED) - {"window", "thinking"}
"""A window is enlarged with a server's restart; it is asked for anew by every run."""


class Memory:
    """What is known of one model at one base URL. Never raises: a cache may be missing."""

    def __init__(self, folder: Path, base_url: str, model: str) -> None:
        name = hashlib.sha256(f"{base_url}\n{model}".encode()).hexdigest()[:32]
        self._path = folder / f"{name}.json"
        self._model = model

    def recall(self, profile: Profile, pinned: frozenset[str]) -> Profile:
        """``profile`` with what was learned, apart from the fields that are ``pinned``."""
        known = {k: v for k, v in self._read().items() if k in KEPT and k not in pinned}
        try:
            learned = replace(profile, **known)
            return replace(learned, max_output=min(learned.max_output, profile.max_output))
        except ValidationError:
            self.forget()
            return profile

    def keep(self, changes: dict[str, Any]) -> None:
        """Add what was learned now."""
        changes = {name: value for name, value in changes.items() if name in KEPT}
        if not changes:
            return
        content = {
            "model": self._model,
            "until": time.time() + LASTS,
            "learned": {**self._read(), **changes},
        }
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, json.dumps(content, indent=1).encode())

    def forget(self) -> None:
        """What was learned proved wrong."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _read(self) -> dict[str, Any]:
        try:
            content = json.loads(self._path.read_text("utf-8"))
            fresh = content["until"] > time.time()
            return dict(content["learned"]) if fresh else {}
        except (OSError, ValueError, TypeError, KeyError):
            return {}
