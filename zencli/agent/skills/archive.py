"""Skills as ZIP files: taken in with suspicion, given out the same to the byte each time."""

import io
import shutil
import stat
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from zencli.agent.skills.skill import FOLDERS, MAIN, Skill, main_file, read_skill, skill_name
from zencli.errors import NeedsAuthor, UsageError

MOST_PACKED = 1024 * 1024
MOST_ENTRIES = 200
MOST_UNPACKED = 4 * 1024 * 1024
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MAIN_FILES = (MAIN, main_file("zh"), main_file("en"))
_SCRIPTS = (
    "app bash bat bin cmd com dll dylib exe fish jar js mjs php pl ps1 py rb scr sh so ts vbs wasm"
)
"""Suffixes of what a machine would run."""


@dataclass(frozen=True)
class Imported:
    """A skill that was taken in; ``dropped`` are the entries that were left out."""

    skill: Skill
    dropped: tuple[str, ...]


def import_skill(archive: Path, skills: Path, *, replace: bool = False) -> Imported:
    """Unpack a skill into the folder ``skills``, whole or not at all.

    Scripts and everything that no skill needs are left out. Raises UsageError ``usage.skill`` for
    an archive that is damaged, too large, encrypted, or that leads out of its folder; NeedsAuthor
    ``skill.exists`` for a name that is taken, unless ``replace``.
    """
    files, dropped = _files(_bytes(archive), archive)
    if MAIN not in files:
        raise _refused(archive, f"holds no {MAIN}")
    name = skill_name(_decoded(files[MAIN], archive), f"{archive} ({MAIN})")
    target = skills / name
    if (target.exists() or target.is_symlink()) and not replace:
        raise NeedsAuthor(
            "skill.exists", f"There is a skill {name} already.", "Give --yes to replace it."
        )
    skills.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=".import-", dir=skills))
    try:
        fresh = stage / name
        for path, data in files.items():
            place = fresh / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        for language in ("zh", "en"):
            read_skill(fresh, "workspace", "zh" if language == "zh" else "en")
        if target.exists():
            target.rename(stage / "replaced")
        fresh.rename(target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return Imported(read_skill(target, "workspace", "en"), tuple(sorted(dropped)))


def export_skill(skill: Skill) -> bytes:
    """The skill as a ZIP file: the same bytes as long as its texts are the same."""
    names = [name for name in _MAIN_FILES if (skill.folder / name).is_file()]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in sorted([*names, *skill.resources]):
            entry = zipfile.ZipInfo(f"{skill.name}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            made.writestr(entry, (skill.folder / name).read_bytes())
    return buffer.getvalue()


def _bytes(archive: Path) -> bytes:
    try:
        size = archive.stat().st_size
        if size > MOST_PACKED:
            raise _refused(archive, f"has {size:,} bytes; {MOST_PACKED:,} are the most")
        return archive.read_bytes()
    except OSError as error:
        raise UsageError(
            "usage.file", f"{archive} can't be read: {error.strerror}.", "Check the path."
        ) from error


def _files(data: bytes, archive: Path) -> tuple[dict[str, bytes], list[str]]:
    """The contents to keep by path inside the skill, and the names of those left out."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            if len(entries) > MOST_ENTRIES:
                raise _refused(archive, f"has {len(entries)} entries; {MOST_ENTRIES} are the most")
            for entry in entries:
                _check(entry, archive)
            top = _top([e.filename for e in entries])
            files: dict[str, bytes] = {}
            dropped: list[str] = []
            left = MOST_UNPACKED
            for entry in entries:
                path = entry.filename.removeprefix(top)
                if entry.is_dir() or not path:
                    continue
                if path in files:
                    raise _refused(archive, f"holds {path} twice")
                content = _unpacked(packed, entry, left, archive)
                left -= len(content)
                if _wanted(path, content):
                    files[path] = content
                else:
                    dropped.append(path)
            return files, dropped
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise _refused(archive, "is no ZIP file that can be read") from error


def _check(entry: zipfile.ZipInfo, archive: Path) -> None:
    """Refuse what could write outside, or what can't be looked into."""
    name = entry.orig_filename
    parts = name.rstrip("/").split("/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if "\\" in name or "\0" in name or ":" in name or name.startswith("/"):
        raise _refused(archive, f"has an entry outside its folder: {name!r}")
    if any(part in ("", ".", "..") for part in parts):
        raise _refused(archive, f"has an entry outside its folder: {name!r}")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(archive, f"has a link or a special file: {name!r}")
    if entry.flag_bits & 0x1:
        raise _refused(archive, f"is encrypted: {name!r}")


def _unpacked(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, archive: Path) -> bytes:
    """The content of an entry; what it says of its size isn't believed."""
    with packed.open(entry) as stream:
        content = stream.read(left + 1)
    if len(content) > left:
        raise _refused(archive, f"unpacks to more than {MOST_UNPACKED:,} bytes")
    return content


def _top(names: list[str]) -> str:
    """The one folder that everything lies in, with its slash, or ""."""
    tops = {name.split("/")[0] for name in names}
    inside = all("/" in name for name in names)
    return f"{tops.pop()}/" if len(tops) == 1 and inside else ""


def _wanted(path: str, content: bytes) -> bool:
    parts = PurePosixPath(path).parts
    if any(part.startswith(".") for part in parts):
        return False
    if len(parts) == 1:
        return path in _MAIN_FILES or path.startswith("LICENSE")
    runs = PurePosixPath(path).suffix.lower()[1:] in _SCRIPTS.split() or content[:2] == b"#!"
    return parts[0] in FOLDERS and not runs


def _decoded(data: bytes, archive: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(archive, f"has a {MAIN} that isn't UTF-8") from None


def _refused(archive: Path, what: str) -> UsageError:
    return UsageError("usage.skill", f"{archive} {what}.", "Nothing was imported.")
