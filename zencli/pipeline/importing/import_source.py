"""The texts that ``import`` reads: a txt, md or epub file, or all of them in a folder."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from zencli.errors import UsageError
from zencli.prose.chapter_marks import Source
from zencli.prose.count import HAN
from zencli.prose.decode import decode
from zencli.prose.headings import level, read_heading, unmarked
from zencli.story.book import Language

_MARKED = (".md", ".markdown")
_KNOWN = (".txt", *_MARKED, ".epub")
_SAMPLE = 200_000
"""Characters by which the language is told."""

_AFTER_ALL = 1_000_000


@dataclass(frozen=True)
class SourceText:
    """Decoded texts in reading order; ``title`` and ``language`` as they say or show them."""

    sources: tuple[Source, ...]
    title: str
    language: Language
    told: tuple[str, ...]


def read_source(path: Path) -> SourceText:
    """Read a file or a folder. Nothing is written.

    Raises UsageError: ``import.source`` for a path that can't be read or holds no text,
    ``import.encoding`` naming the file and byte, ``import.epub``.
    """
    try:
        folder, there = path.is_dir(), path.exists()
    except OSError as error:  # a name that is too long, a folder that can't be entered
        raise _refused(f"{path} can't be read: {error.strerror}.", "Check the path.") from error
    if not there:
        raise _refused(f"{path} doesn't exist.", "Check the path.")
    files, told = _files(path) if folder else ([path], [])
    sources, titles = [], []
    for file in files:
        alone = len(files) == 1 and not folder
        name = "" if alone else file.relative_to(path).as_posix()
        text, title, encoding = _read(file)
        if encoding != "UTF-8":
            told.append(f"{name or file.name}: read as {encoding}")
        if "\ufffd" in text:
            told.append(f"{name or file.name}: {text.count(chr(0xFFFD))} characters were broken")
        sources.append(Source(text, name, file.stem, file.suffix.lower() != ".txt"))
        titles.append(title)
    if not any(source.text.strip() for source in sources):
        raise _refused(f"{path} holds no text.", "Give a txt, md or epub file, or a folder.")
    title = titles[0] if len(titles) == 1 and titles[0] else _named(path)
    return SourceText(tuple(sources), title, _language(sources), tuple(told))


def _refused(message: str, hint: str) -> UsageError:
    return UsageError("import.source", message, hint)


def _files(folder: Path) -> tuple[list[Path], list[str]]:
    """The texts of a folder in reading order, and what was passed over."""
    found = [
        file
        for file in folder.rglob("*")
        if file.is_file() and not any(p.startswith(".") for p in file.relative_to(folder).parts)
    ]
    texts = [file for file in found if file.suffix.lower() in _KNOWN]
    if not texts:
        raise _refused(f"There is no txt, md or epub file in {folder}.", "Check the folder.")
    others = sorted(file.name for file in found if file not in texts)
    told = [f"passed over, neither txt, md nor epub: {', '.join(others)}"] if others else []
    return sorted(texts, key=lambda file: _order(file.relative_to(folder))), told


def _order(path: Path) -> list[tuple[int, str]]:
    """By numbers as numbers, Chinese ones too; a prologue first, an epilogue last."""
    key: list[tuple[int, str]] = []
    for part in [*path.parts[:-1], path.stem]:
        heading = read_heading(part)
        if heading and heading.kind != "volume":
            places = {"prologue": -1, "epilogue": _AFTER_ALL}
            key.append((places.get(heading.kind, heading.number or 0), part))
            continue
        folded = unicodedata.normalize("NFKC", part).casefold()
        for word, digits in re.findall(r"(\D*)(\d*)", folded):
            key.append((int(digits) if digits else 0, word))
    return key


def _read(file: Path) -> tuple[str, str, str]:
    """Text, title and encoding of a file."""
    suffix = file.suffix.lower()
    if suffix == ".epub":
        from zencli.export.read_epub import read_epub

        book = read_epub(file)
        return "\n\n".join(book.pages), book.title, "UTF-8"
    if suffix not in _KNOWN:
        raise _refused(f"{file} is neither txt, md nor epub.", "Save it in one of these forms.")
    try:
        text, encoding = decode(file.read_bytes())
    except OSError as error:
        raise _refused(f"{file} can't be read: {error.strerror}.", "Check the path.") from error
    except ValueError as error:
        raise UsageError(
            "import.encoding", f"{file} can't be read: {error}.", "Save it as UTF-8."
        ) from error
    if suffix in _MARKED:
        from zencli.export.read_md import read_md

        read = read_md(text)
        return read.text, read.title or _first_title(read.text), encoding
    return text, _first_title(text), encoding


def _first_title(text: str) -> str:
    """The title that a text begins with: 《七则桥》, or a Markdown heading of the first level that
    is no chapter's and the only one."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    quoted = re.fullmatch("《(.+)》", unmarked(first))
    if quoted:
        return " ".join(quoted[1].split())
    if level(first) != 1 or read_heading(first):
        return ""
    again = sum(level(line) == 1 for line in text.split("\n"))
    return unmarked(first) if again == 1 else ""


def _named(path: Path) -> str:
    """A title from the name of a file or folder: 《七则桥》作者：某某.txt is 七则桥."""
    name = unicodedata.normalize("NFC", path.resolve().name if path.is_dir() else path.stem)
    quoted = re.search("《(.+?)》", name)
    return " ".join((quoted[1] if quoted else name).replace("_", " ").split())


def _language(sources: list[Source]) -> Language:
    """zh when there are at least half as many Han characters as Latin letters."""
    text = ""
    for source in sources:
        text += source.text[: _SAMPLE - len(text)]
    han, latin = len(re.findall(f"[{HAN}]", text)), len(re.findall("[A-Za-z]", text))
    return "zh" if han and han * 2 >= latin else "en"
