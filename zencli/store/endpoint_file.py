"""Writing the profile of an endpoint into ``zencli.toml``, the author's own lines kept."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zencli.errors import UsageError
from zencli.store.atomic import write_atomic

HEAD = "Configuration of this workspace. Keys don't belong here: name their variable, api_key_env."


def write_profile(
    path: Path, table: Sequence[str], place: Mapping[str, Any], profile: Mapping[str, Any]
) -> None:
    """Set ``profile`` in ``table``, ``("model",)`` or ``("models", role)``, of a file.

    ``place`` are the keys of the table that must be there for the profile to fit; those that are
    there already stay. Keys of the profile that aren't named stay too. Raises ``UsageError``
    usage.config when the file can't be read as TOML or written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        text = path.read_text("utf-8") if path.exists() else f"# {HEAD}\n"
        document = tomlkit.parse(text)
        node: Any = document
        for name in table:
            if name not in node:
                node[name] = tomlkit.table(is_super_table=name == "models")
            node = node[name]
        for key, value in place.items():
            if key not in node:
                node[key] = value
        if "profile" not in node:
            node["profile"] = tomlkit.table()
        for key, value in profile.items():
            node["profile"][key] = value
        write_atomic(path, tomlkit.dumps(document).encode())
    except (TOMLKitError, UnicodeDecodeError, TypeError) as error:
        raise UsageError("usage.config", f"{path}: {error}.", "Correct the file.") from error
    except OSError as error:
        raise UsageError(
            "usage.config", f"{path} can't be written: {error.strerror}.", "Make it writable."
        ) from error
