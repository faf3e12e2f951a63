"""``sub_agent``: the verbs as a tool, over the same Runner, with the whole result."""

from typing import Any

from pydantic import BaseModel

from zencli.agent.events import AgentEvent
from zencli.agent.sub_agent import parse_arguments, sub_agent_schema
from zencli.agent.sub_agent_results import told
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import note_change
from zencli.agent.tools.spec import ToolSpec, said
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.errors import ZencliError
from zencli.pipeline.params import (
    Audit,
    Export,
    InitBook,
    Params,
    Revise,
    WriteNext,
)
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner
from zencli.prose.count import count_words
from zencli.store.history import commit_numbers, commits
from zencli.store.layout import BookDir

_ASIDE = ("records/", ".zencli/")
"""What a verb keeps for itself and no list of changed files tells."""


def sub_agent(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Run the verb of a sub-agent and answer with all of its result.

    Expected failures come back as ``{ok, code, message, hint}``; what was committed before them
    counts. A new book becomes the turn's.
    """
    try:
        agent, params, instruction = parse_arguments(given)
        if turn.agent == "quality_reviewer" and agent != "auditor":
            raise ToolRefused("sub_agent_refused", "A reviewer has the auditor only.")
        params = _for_book(turn, params)
    except ToolRefused:
        raise
    except ZencliError as error:
        return _failure(error, None)
    runner = turn.runner()
    known = set(commit_numbers(turn.book)) if turn.book else set()
    failure: ZencliError | None = None
    result: BaseModel | None = None
    try:
        result = _run(runner, params)
    except ZencliError as error:
        failure = error
        result = error.result if isinstance(error, PartlyDone) else None
    finally:
        if turn.book is not None:
            _note_files(turn, turn.book, known)
    if failure is not None and failure.code == "interrupted":
        raise failure
    if isinstance(params, InitBook) and result is not None:
        turn.book = turn.workspace.open(getattr(result, "book_id", None))
        turn.seen.clear()
        turn.read_now.clear()
        _note_files(turn, turn.book, set())
    if failure is not None:
        return _failure(failure, result)
    assert result is not None
    assert turn.book is not None
    answer = told(agent, result, instruction, turn.book.path)
    return ToolResult(
        data={"ok": True, **answer.data},
        for_model=answer.sentence,
        for_author=tell(turn, f"sub_{agent}", book=getattr(result, "book_id", "")),
    )


def _for_book(turn: Turn, params: Params) -> Params:
    """The parameters with the turn's book where none is named; another one is refused."""
    if isinstance(params, InitBook):
        return params
    named = getattr(params, "book_id", None)
    if turn.book is None:
        turn.book = turn.workspace.open(named)
    elif named is not None and named != turn.book.id:
        raise ToolRefused(
            "other_book", f"This turn works on {turn.book.id}, not on {named}.", "Leave out bookId."
        )
    return params.model_copy(update={"book_id": turn.book.id})


def _run(runner: Runner, params: Params) -> BaseModel:
    match params:
        case InitBook():
            return runner.init_book(params)
        case WriteNext():
            return runner.write_next(params)
        case Audit():
            return runner.audit(params)
        case Revise():
            return runner.revise(params)
        case Export():
            return runner.export(params)
    raise AssertionError(f"no sub-agent has {type(params).__name__}")


def _failure(error: ZencliError, result: BaseModel | None) -> ToolResult:
    data: dict[str, Any] = {
        "ok": False,
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
    }
    if result is not None:
        data["done"] = result.model_dump(mode="json")
    return ToolResult(
        data=data,
        error_type=error.code,
        for_model=" ".join(part for part in (error.message, error.hint) if part),
        for_author=error.message,
    )


def _note_files(turn: Turn, book: BookDir, known: set[int]) -> None:
    """Take into the turn what the verb's commits did to the author's files."""
    for commit in commits(book):
        if commit.number in known:
            continue
        for change in commit.changes:
            if change.before == change.after or change.path.startswith(_ASIDE):
                continue
            note_change(turn.files.changes, change.path, change.kind)
            turn.seen.pop(change.path, None)
            turn.read_now.pop(change.path, None)
            event = {"path": change.path, "change": change.kind, **_words(book, change.path)}
            made = change.kind == "created"
            turn.emit(AgentEvent("file_created" if made else "file_updated", event))


def _words(book: BookDir, path: str) -> dict[str, int]:
    text = book.read(path) if path.endswith(".md") else None
    return {} if text is None else {"words": count_words(text, book.config().language)}


SPEC = ToolSpec(
    name="sub_agent",
    description=said(
        "让一个子智能体做一整件事：architect 建书，writer 写下一章（含审稿和修订），"
        "auditor 审一章，reviser 修订一章，exporter 导出。只给它用得上的参数。",
        "Have a sub-agent do a whole piece of work: architect makes a book, writer writes the next "
        "chapters with audit and revision, auditor judges a chapter, reviser revises one, exporter "
        "makes a finished file. Give only the parameters that it uses.",
    ),
    parameters=sub_agent_schema(),
    permission="write",
    handler=sub_agent,
    checks_itself=True,
)
