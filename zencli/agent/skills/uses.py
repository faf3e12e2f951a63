"""How often each skill was used in a workspace: a line a use, in ``.zencli/skills.jsonl``."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

from zencli.store.paths import MACHINE

USES = f"{MACHINE}/skills.jsonl"


def count_use(root: Path, name: str, session: str, now: datetime) -> None:
    """Put a use down. A workspace that can't be written to goes without the count."""
    line = json.dumps({"time": now.isoformat(), "skill": name, "session": session})
    path = root / USES
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError:
        return


def uses(root: Path) -> Counter[str]:
    """The number of uses by name; a line that can't be read isn't counted."""
    found: Counter[str] = Counter()
    try:
        lines = (root / USES).read_text("utf-8", "replace").splitlines()
    except OSError:
        return found
    for line in lines:
        try:
            name = json.loads(line)["skill"]
            found[name] += isinstance(name, str)
        except (ValueError, KeyError, TypeError):
            continue
    return found
