"""``edit_file``: exact edits of one file, all of them or none."""

import difflib
from collections.abc import Sequence
from typing import Any

from zencli.agent.author_edits import Authorship, authorship, lines_of
from zencli.agent.author_edits_guard import is_approved
from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.edit_text import OPS, Edit, Edited, Failure, apply_edits
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.framing import has_prose
from zencli.agent.tools.places import is_body, writable_path
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import commit, held, text_of, the_book
from zencli.agent.tools.scanning import paths_of
from zencli.agent.tools.spec import ToolSpec, arguments, flag, number, said, text
from zencli.agent.tools.stale import check_seen
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.prose.count import count_words

_TOUCHED = 5
_LONGEST = 120
_MEMORY = ("notes.md", "tasks.md")


def edit_file(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Make edits in a file under the book's lock.

    Raises ToolRefused: ``stale_content`` when the file isn't what the model saw in this turn, the
    first failing edit's word when one can't be made (all are listed), ``no_change``.
    """
    path = writable_path(the_book(turn), given["path"])
    edits = [_edit(item) for item in given["edits"]]
    _check_memory(path, edits)
    with held(turn) as book:
        present = text_of(book, path)
        if present is None:
            raise _missing(paths_of(book), path)
        known = turn.seen.get(path)
        check_seen(turn, path, present)
        done = apply_edits(present, edits, exact=known is None)
        if done.failures and (not given.get("partial") or len(done.failures) == len(edits)):
            raise _failed(turn, path, done.failures, seen=known is not None)
        if done.text == present:
            raise ToolRefused("no_change", f"The edits leave {path} as it is.", data={"path": path})
        if has_prose(present) and not has_prose(done.text):
            raise ToolRefused(
                "empty_result",
                f"Nothing was changed: {path} would be left without a text.",
                "To remove a file use delete_file.",
                data={"path": path},
            )
        own = authorship(book, path, present)
        commit(turn, book, {path: done.text})
        language = book.config().language
        approved = is_approved(book, path)
    if is_body(path):
        words = sum(count_words(part, language) for part in done.added)
        turn.files.words[path] = turn.files.words.get(path, 0) + words
    return _result(turn, path, done, _touched(own, present, done.text), approved=approved)


def _edit(item: dict[str, Any]) -> Edit:
    """An edit, with what the model wrote made fit for a file."""
    new = item.get("new")
    return Edit(
        op=item["op"],
        old=item.get("old", ""),
        new=None if new is None else clean(new),
        anchor=item.get("anchor", ""),
        text=clean(item.get("text", "")),
        occurrence=item.get("occurrence"),
        replace_all=item.get("replace_all", False),
    )


def _check_memory(path: str, edits: Sequence[Edit]) -> None:
    """Notes need proof of who said them, which only ``update_project`` asks for."""
    if path not in _MEMORY or (path == "notes.md" and all(edit.op == "delete" for edit in edits)):
        return
    raise ToolRefused(
        "use_update_project",
        f"{path} is written with update_project.",
        "Only passages of notes.md may be deleted here.",
    )


def _touched(own: Authorship, before: str, after: str) -> list[str]:
    """The lines that the author wrote and that aren't there any more."""
    if not own.lines:
        return []
    left = set(lines_of(after))
    return [line for line in lines_of(before) if line in own.lines and line not in left]


def _result(
    turn: Turn, path: str, done: Edited, touched: list[str], *, approved: bool
) -> ToolResult:
    data: dict[str, Any] = {"path": path, "edits": done.places}
    places = "1 place" if done.places == 1 else f"{done.places} places"
    sentence = f"Changed: {places} of {path}."
    key, yours = ("edited_yours", len(touched)) if touched else ("edited", 0)
    if touched:
        data["author_edits_touched"] = [line[:_LONGEST] for line in touched[:_TOUCHED]]
        sentence += " Among them are words of the author's own: say so in your reply."
    if approved:
        data["approved"] = True
        sentence += " The author had approved this chapter: say so in your reply."
    if done.failures:
        data["failed"] = [failure.to_json() for failure in done.failures]
        sentence += " Not made: those in failed."
    return ToolResult(
        data=data,
        for_model=sentence,
        for_author=tell(turn, key, path=path, count=done.places, places=places, yours=yours),
    )


def _failed(turn: Turn, path: str, failures: Sequence[Failure], *, seen: bool) -> ToolRefused:
    first = failures[0]
    told = "; ".join(f"edit {f.index + 1}: {f.message}" for f in failures)
    hint = "" if seen else f" You haven't read all of {path} yet, so only exact passages are found."
    return ToolRefused(
        first.error_type,
        f"Nothing was written to {path}. {told}",
        f"Give all edits again with the failing ones mended.{hint}",
        data={"path": path, "failed": [failure.to_json() for failure in failures]},
        for_author=tell(turn, "not_found", path=path),
    )


def _missing(names: list[str], path: str) -> ToolRefused:
    near = difflib.get_close_matches(path, names, n=3, cutoff=0.5)
    hint = f"There are: {', '.join(near)}." if near else "Look with query_files."
    return ToolRefused("file_not_found", f"There is no file {path}.", hint, data={"near": near})


_EDIT = {
    "type": "object",
    "properties": {
        "op": {
            "type": "string",
            "enum": list(OPS),
            "description": said("做什么", "what to do"),
        },
        "old": text("replace、delete：文件里的原文", "replace, delete: the passage of the file"),
        "new": text("replace：换成什么", "replace: what to put there"),
        "anchor": text(
            "insert_before、insert_after：插在文件的哪一段原文旁",
            "insert_before, insert_after: the passage of the file to put it at",
        ),
        "text": text(
            "insert、append、prepend：加什么", "insert_*, append, prepend: what to put in"
        ),
        "occurrence": number(
            "原文出现几次时，改第几处", "which one, where it occurs several times", minimum=1
        ),
        "replace_all": flag("每一处都改", "every occurrence"),
    },
    "required": ["op"],
    "additionalProperties": False,
}

SPEC = ToolSpec(
    name="edit_file",
    description=said(
        "修改已有文件。old 和 anchor 逐字抄文件里的原文。默认要么全部改成，要么一处不改。",
        "Change a file. Copy old and anchor from the file word for word. All edits are made, or "
        "none.",
    ),
    parameters=arguments(
        ["path", "edits"],
        path=text("书内路径", "path in the book"),
        edits={
            "type": "array",
            "items": _EDIT,
            "minItems": 1,
            "maxItems": 50,
            "description": said("依次做的修改", "the edits, made one after the other"),
        },
        partial=flag("能改的先改，改不了的报告", "make those that can be made, report the others"),
    ),
    permission="write",
    handler=edit_file,
)
