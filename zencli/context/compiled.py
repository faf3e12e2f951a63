"""Templates as the template engine compiled them, so that not every process does it again.

Only those that are shipped: they lie in ``$ZENCLI_CACHE/templates``, beside the embedded model, and
each is good for the very source that it was made of. Deleting, cutting or altering a file there
costs time and nothing else.
"""

import contextlib
import hashlib
import os
import stat
import sys
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from zencli.llm.model_file import cache_dir
from zencli.store.disk import spare_name

_DIGEST = 64


class Compiled(jinja2.BytecodeCache):
    """``shipped`` is the folder whose templates are kept on disk."""

    def __init__(self, shipped: Path) -> None:
        self._shipped = shipped
        self._folder = _folder()

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name of a shipped template's file; "" for another one, which has none."""
        shipped = filename is not None and Path(filename).is_relative_to(self._shipped)
        return super().get_cache_key(name, filename) if shipped else ""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Put the code into the bucket where there is any for its source."""
        code = self._read(bucket)
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code that was just made."""
        if self._folder is not None and bucket.key:
            code = bucket.bytecode_to_string()
            _write(self._folder, bucket.key, _digest(bucket, code) + code)

    def _read(self, bucket: Bucket) -> bytes | None:
        if self._folder is None or not bucket.key:
            return None
        try:
            with (self._folder / bucket.key).open("rb") as file:
                if not _only_ours(os.fstat(file.fileno())):
                    return None
                data = file.read()
        except OSError:
            return None
        code = data[_DIGEST:]
        return code if data[:_DIGEST] == _digest(bucket, code) else None


def _digest(bucket: Bucket, code: bytes) -> bytes:
    options = bucket.environment
    made_by = (
        jinja2.__version__,
        sys.implementation.cache_tag,
        (options.trim_blocks, options.lstrip_blocks, options.autoescape),
        bucket.checksum,
    )
    return hashlib.sha256(repr(made_by).encode() + code).hexdigest().encode()


def _folder() -> Path | None:
    """None for a user without a home."""
    try:
        return cache_dir() / "templates"
    except RuntimeError:
        return None


def _write(folder: Path, name: str, data: bytes) -> None:
    temporary = folder / spare_name(".tmp-")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.chmod(0o600)
        os.replace(temporary, folder / name)
    except OSError:  # read-only or full: the next process compiles again
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _only_ours(file: os.stat_result) -> bool:
    """Code is run: what another user could have written isn't read."""
    return file.st_uid == os.geteuid() and not file.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
