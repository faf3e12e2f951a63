"""``update_project``: what is known of a book as a project, its notes and its tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zencli.agent.author_edits import authorship
from zencli.agent.author_edits_guard import check_overwrite
from zencli.agent.notes import NOTES, parse_notes, record, render_notes
from zencli.agent.tasks import (
    STATUSES,
    TASKS,
    Board,
    HasText,
    Task,
    carried,
    finished,
    parse_tasks,
    render_tasks,
    unverified,
)
from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.framing import has_prose
from zencli.agent.tools.places import readable_path
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import commit, held, text_of, the_book
from zencli.agent.tools.spec import ToolSpec, arguments, said, text, texts
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.errors import ZencliError
from zencli.store.config_file import updated_config
from zencli.store.layout import BookDir
from zencli.story import markdown

CONFIG = "book.toml"
STYLE = "style.md"
_KEYS = ("title", "summary", "phase")
_MISSING = 20


def update_project(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Write the given fields, all of them or none.

    A note that the author's own words don't prove is recorded as a proposal, and a task that is
    marked done without its files stays in progress; both are told.
    """
    if not given.keys() - {"author_quotes"}:
        raise ToolRefused("invalid_arguments", "There is nothing to write.", "Give a field.")
    the_book(turn)
    data: dict[str, Any] = {"updated": sorted(given.keys() - {"author_quotes"})}
    with held(turn) as book:
        contents: dict[str, str | None] = {}
        if any(key in given for key in _KEYS):
            contents[CONFIG] = _config(book, given)
        if "style" in given:
            contents[STYLE] = _style(turn, book, given["style"])
        if "notes" in given or "proposals" in given:
            contents[NOTES] = _notes(turn, book, given, data)
        if "tasks" in given:
            contents[TASKS] = _tasks(book, given["tasks"], data)
        commit(turn, book, contents)
    return ToolResult(
        data=data,
        for_model=_sentence(data),
        for_author=tell(turn, "project", fields=", ".join(data["updated"])),
    )


def finish_tasks(turn: Turn) -> list[str]:
    """At the end of a turn: close the tasks whose files it really wrote; returns their titles.

    Nothing is done when it wrote nothing, or in read-only.
    """
    book = turn.book
    written = [path for path, change in turn.files.changes.items() if change != "deleted"]
    if book is None or not written or turn.read_only or text_of(book, TASKS) is None:
        return []
    with held(turn):
        board = parse_tasks(text_of(book, TASKS) or "")
        closed = finished(board, written, _has_text(book))
        if closed != board:
            commit(turn, book, {TASKS: render_tasks(closed, book.config().language)})
    before = {task.title for task in board.tasks if task.status == "done"}
    return [t.title for t in closed.tasks if t.status == "done" and t.title not in before]


def _config(book: BookDir, given: dict[str, Any]) -> str:
    values = {key: clean(given[key]).strip() for key in _KEYS if key in given}
    if "title" in values:
        values["title"] = markdown.one_line(values["title"])
        if not values["title"]:
            raise ToolRefused("invalid_arguments", "title: is empty.", "Leave it out.")
    return updated_config(book.read(CONFIG) or "", values)


def _style(turn: Turn, book: BookDir, style: str) -> str:
    present = text_of(book, STYLE) or ""
    if authorship(book, STYLE, present).any and present.strip():
        check_overwrite(turn, book, STYLE, claimed=True)
    style = clean(style).strip()
    heading = markdown.first_heading(present)
    return f"{style}\n" if style.startswith("# ") or not heading else f"# {heading}\n\n{style}\n"


def _notes(turn: Turn, book: BookDir, given: dict[str, Any], data: dict[str, Any]) -> str:
    recorded = record(
        parse_notes(text_of(book, NOTES) or ""),
        [clean(note) for note in given.get("notes", [])],
        given.get("author_quotes", []),
        turn.asked.message,
        [clean(one) for one in given["proposals"]] if "proposals" in given else None,
    )
    if recorded.as_proposals:
        data["notes_recorded_as_proposals"] = list(recorded.as_proposals)
    return render_notes(recorded.notes, book.config().language)


def _tasks(book: BookDir, items: list[dict[str, Any]], data: dict[str, Any]) -> str:
    present = text_of(book, TASKS) or ""
    has_text = _has_text(book)
    old = parse_tasks(present)
    known = {task.title: task for task in old.tasks}
    new = [_task(item, known) for item in items]
    new += _own_tasks(book, old, present, new)
    kept: list[Task] = []
    for task in carried(old, new, has_text).tasks:
        missing = unverified(task, has_text)
        if missing:
            told = {"task": task.title, "missing": missing[:_MISSING]}
            data.setdefault("unverified_done", []).append(told)
        kept.append(replace(task, status="in_progress") if missing else task)
    return render_tasks(replace(old, tasks=tuple(kept)), book.config().language)


def _task(item: dict[str, Any], known: Mapping[str, Task]) -> Task:
    """A task as given; without a status one of a known name stays as far as it was."""
    title = markdown.one_line(clean(item["title"])).replace(" · ", " ")
    artifact = clean(item.get("artifact", "")).strip().replace("\n", " ")
    before = known[title].status if title in known else "pending"
    return Task(title, item.get("status", before), artifact)


def _own_tasks(book: BookDir, old: Board, present: str, new: Sequence[Task]) -> list[Task]:
    """Tasks that the author wrote into the file and that the new list forgets."""
    own = authorship(book, TASKS, present).lines
    named = {task.title for task in new}
    lines = [line for line in own if any(task.title in line for task in old.tasks)]
    return [
        task
        for task in old.tasks
        if task.title not in named and any(task.title in line for line in lines)
    ]


def _has_text(book: BookDir) -> HasText:
    def has_text(path: str) -> bool:
        try:
            place = readable_path(book, path)
            return has_prose(text_of(book, place))
        except ZencliError:
            return False

    return has_text


def _sentence(data: dict[str, Any]) -> str:
    parts = [f"Written: {', '.join(data['updated'])}."]
    if "notes_recorded_as_proposals" in data:
        parts.append(
            "Notes that aren't the author's own words of this turn were kept as proposals."
        )
    if "unverified_done" in data:
        parts.append("Tasks whose files are missing stay in progress: see unverified_done.")
    return " ".join(parts)


_TASK = {
    "type": "object",
    "properties": {
        "title": text("任务，如“写第2-5章”", "the task, such as “write chapters 2-5”", minLength=1),
        "status": {
            "type": "string",
            "enum": list(STATUSES),
            "description": said("进展", "how far it is"),
        },
        "artifact": text("完成时必须有的文件", "the file that it must leave"),
    },
    "required": ["title"],
    "additionalProperties": False,
}

SPEC = ToolSpec(
    name="update_project",
    description=said(
        "更新这本书的项目信息、备注和任务。notes 是新增的备注：作者本轮原话里有的，"
        "把那句原话放进 author_quotes，才算作者确认，否则记成提议。"
        "proposals 整体替换你的提议。tasks 整体替换任务表。",
        "Update what is known of the project, its notes and its tasks. notes are new ones: each "
        "counts as confirmed only when the sentence of the author's message that says it is in "
        "author_quotes; else it becomes a proposal. proposals replace all of yours. tasks replace "
        "the whole list.",
    ),
    parameters=arguments(
        [],
        title=text("书名", "title of the book", maxLength=200),
        summary=text("一段话的简介", "the book in a paragraph", maxLength=2000),
        phase=text("进行到哪一步", "the stage it is at", maxLength=100),
        style=text("style.md 的全文", "the whole of style.md", maxLength=8000),
        notes=texts("新备注，一条一句", "new notes, one sentence each", maxItems=30),
        tasks={
            "type": "array",
            "items": _TASK,
            "maxItems": 60,
            "description": said("全部任务", "all tasks"),
        },
        author_quotes=texts(
            "作者本轮消息里的原话，逐字，一句证明一条备注",
            "sentences of the author's message of this turn, word for word; each proves one note",
            maxItems=30,
        ),
        proposals=texts("你的提议，等作者确认", "what you propose to the author", maxItems=30),
    ),
    permission="write",
    handler=update_project,
)
