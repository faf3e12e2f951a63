"""A file that isn't any more what the model saw in this turn."""

from zencli.agent.author_edits import differences
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn

_SHOWN = 12


def check_seen(turn: Turn, path: str, present: str) -> None:
    """Refuse to write on what the model knows of a file when the author saved it since.

    Call it under the book's lock. His changes are in the refusal, so that the file counts as known
    from the next call of the model on. Raises ToolRefused ``stale_content``.
    """
    known = turn.seen.get(path)
    if known is None or known == present:
        return
    turn.read_now[path] = present
    changes = [edit.to_json() for edit in list(differences(known, present))[:_SHOWN]]
    raise ToolRefused(
        "stale_content",
        f"The author changed {path} since you saw it; nothing was written.",
        "Keep his changes, which are listed, and give your text again for the file as it is now.",
        data={"path": path, "author_edits": changes},
        for_author=tell(turn, "stale", path=path),
        kept=True,
    )
