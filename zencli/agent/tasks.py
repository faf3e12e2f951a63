"""``tasks.md``: what is to be done, and how far it is by what lies on disk."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from zencli.prose.numerals import CHINESE, ENGLISH, chinese_number, english_number
from zencli.store.layout import chapter_file
from zencli.story.book import Language

TASKS = "tasks.md"
Status: TypeAlias = Literal["pending", "in_progress", "done"]
STATUSES: tuple[str, ...] = get_args(Status)

LONGEST_RANGE = 500
"""Units of a range that is followed one by one."""

_TITLE = {"zh": "任务", "en": "Tasks"}
_FILE = {"zh": "文件", "en": "file"}
_DONE = {"zh": "已完成", "en": "done"}
_BOX: dict[Status, str] = {"pending": " ", "in_progress": "/", "done": "x"}
_STATUS: dict[str, Status] = {" ": "pending", "": "pending", "/": "in_progress", "-": "in_progress"}
_LINE = re.compile(r"[-*+]\s+\[(.?)\]\s*(.*)")
_FIELD = re.compile(r"(文件|file|已完成|done)\s*[:：]\s*(.*)", re.I)

_TO = r"\s*(?:-|–|—|~|～|至|到|to)\s*"
_ZH_RANGE = re.compile(
    rf"第?\s*([{CHINESE}]+)(?:\s*[章回集])?{_TO}第?\s*([{CHINESE}]+)\s*([章回集])"
)
_ZH_ONE = re.compile(rf"第\s*([{CHINESE}]+)\s*([章回集])")
_EN_RANGE = re.compile(
    rf"\b(chapters?|episodes?)\s+({ENGLISH}){_TO}(?:chapter\s+|episode\s+)?({ENGLISH})\b", re.I
)
_EN_ONE = re.compile(rf"\b(chapter|episode)\s+({ENGLISH})\b", re.I)


@dataclass(frozen=True)
class Task:
    """One task. ``artifact`` is the file it must leave, ``done_units`` of a range those there."""

    title: str
    status: Status = "pending"
    artifact: str = ""
    done_units: tuple[int, ...] = ()


@dataclass(frozen=True)
class Board:
    """The tasks in order, and what the author wrote between them, which stays in front."""

    tasks: tuple[Task, ...] = ()
    other: str = ""


HasText: TypeAlias = Callable[[str], bool]
"""Whether a file of the book, by its path, is there and has a text."""


def parse_tasks(text: str) -> Board:
    """The tasks of ``tasks.md`` as the author may have edited it."""
    tasks: list[Task] = []
    other: list[str] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found:
            tasks.append(_task(found[1].strip(), found[2]))
        elif line.strip().lstrip("# ") not in _TITLE.values():
            other.append(line)
    return Board(tuple(task for task in tasks if task.title), "\n".join(other).strip())


def render_tasks(board: Board, language: Language) -> str:
    """The file."""
    lines = [f"- [{_BOX[task.status]}] {_told(task, language)}" for task in board.tasks]
    blocks = [f"# {_TITLE[language]}", board.other, "\n".join(lines)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def units_of(task: Task) -> list[str]:
    """The files of a task that names chapters or episodes by number, in order; empty for others."""
    found = _range(task.title)
    if found is None:
        return []
    first, last, script = found
    if not 0 <= first <= last < first + LONGEST_RANGE:
        return []
    return [_unit_file(number, script=script) for number in range(first, last + 1)]


def carried(old: Board, new: Sequence[Task], has_text: HasText) -> Board:
    """A new list of tasks with the progress of those of the same name; ``other`` stays.

    Units whose file is gone count no longer.
    """
    known = {task.title: task for task in old.tasks}
    kept = []
    for task in new:
        before = known.get(task.title, task)
        artifact = task.artifact or before.artifact
        kept.append(_checked(replace(task, artifact=artifact), has_text))
    return replace(old, tasks=tuple(kept))


def unverified(task: Task, has_text: HasText) -> list[str]:
    """The files that a task marked done lacks."""
    if task.status != "done":
        return []
    wanted = [*units_of(task), *([task.artifact] if task.artifact else [])]
    return [path for path in wanted if not has_text(path)]


def finished(board: Board, written: Iterable[str], has_text: HasText) -> Board:
    """The board at the end of a turn that really wrote these files.

    Of the tasks in progress those are closed whose files are there with a text, one of them written
    now: all units of a range, the artifact, or a file that the task names. A range in part stays in
    progress with what is done.
    """
    real = [path for path in written if has_text(path)]
    if not real:
        return board
    return replace(board, tasks=tuple(_finished(task, real, has_text) for task in board.tasks))


def _finished(task: Task, written: list[str], has_text: HasText) -> Task:
    if task.status != "in_progress":
        return task
    units = units_of(task)
    if task.artifact:
        if task.artifact not in written:
            return task
        done = all(has_text(unit) for unit in units)
    elif units:
        if not set(units) & set(written):
            return task
        done = all(has_text(unit) for unit in units)
    else:
        done = any(_stem(path) in task.title for path in written if len(_stem(path)) > 1)
    task = _checked(task, has_text)
    return replace(task, status="done") if done else task


def _checked(task: Task, has_text: HasText) -> Task:
    """A range with the units that are there, others without any."""
    units = units_of(task)
    if len(units) < 2 or task.status == "pending":
        return replace(task, done_units=())
    first = _range(task.title)
    assert first is not None
    there = tuple(first[0] + at for at, path in enumerate(units) if has_text(path))
    return replace(task, done_units=there)


def _range(title: str) -> tuple[int, int, bool] | None:
    """First and last unit that a title names, and whether they are episodes."""
    if found := _ZH_RANGE.search(title):
        first, last, script = chinese_number(found[1]), chinese_number(found[2]), found[3] == "集"
    elif found := _EN_RANGE.search(title):
        first, last = english_number(found[2]), english_number(found[3])
        script = found[1].lower().startswith("e")
    elif found := _ZH_ONE.search(title):
        first = last = chinese_number(found[1])
        script = found[2] == "集"
    elif found := _EN_ONE.search(title):
        first = last = english_number(found[2])
        script = found[1].lower() == "episode"
    else:
        return None
    return None if first is None or last is None else (first, last, script)


def _unit_file(number: int, *, script: bool) -> str:
    return f"scripts/{number:04d}.md" if script else chapter_file(number)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _task(box: str, told: str) -> Task:
    title, *fields = (part.strip() for part in told.split(" · "))
    task = Task(title, _STATUS.get(box, "done"))
    for field in fields:
        found = _FIELD.fullmatch(field)
        if found is None:
            task = replace(task, title=f"{task.title} · {field}")
        elif found[1].lower() in ("文件", "file"):
            task = replace(task, artifact=found[2].strip("` "))
        else:
            units = [int(number) for number in re.findall(r"\d+", found[2])]
            task = replace(task, done_units=tuple(units))
    return task


def _told(task: Task, language: Language) -> str:
    colon, comma = ("：", "、") if language == "zh" else (": ", ", ")
    parts = [task.title]
    if task.artifact:
        parts.append(f"{_FILE[language]}{colon}{task.artifact}")
    if task.done_units:
        parts.append(f"{_DONE[language]}{colon}{comma.join(map(str, task.done_units))}")
    return " · ".join(parts)
