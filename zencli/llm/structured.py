"""Structured replies: ask, read leniently, ask once more with what was wrong."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from zencli.errors import ModelError
from zencli.llm.reading import read_object
from zencli.llm.schema import wire_schema
from zencli.llm.thinking import split_thinking
from zencli.llm.types import Message, Model, Reply, Request, Usage

__all__ = ["Answer", "ask", "wire_schema"]

T = TypeVar("T", bound=BaseModel)

CUT_OFF = "the reply was cut off at the output limit before the JSON object ended"
NO_OBJECT = "the reply holds no JSON object"
_REMEDY = "Give the same command again, or use another model with --model."


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A usable reply. ``warnings`` say what was dropped on reading, ``raws`` are the texts got."""

    value: T
    warnings: list[str]
    usage: Usage
    raws: list[str]


def ask(
    model: Model,
    request: Request,
    wanted: type[T],
    *,
    check: Callable[[T], list[str]],
    reask: Callable[[list[str]], str],
) -> Answer[T]:
    """Ask for a ``wanted`` and read it: at most two calls.

    ``check`` returns what is wrong with the meaning of a value, one sentence each; ``reask`` makes
    of all problems the message that asks again. Raises ``ModelError`` llm.reply (llm.truncated when
    the second reply was cut off) and rejects both replies when the second isn't usable either.
    """
    usage, raws, asked = Usage(), list[str](), list[Request]()
    attempt, problems = request, list[str]()
    for _ in range(2):
        asked.append(attempt)
        reply = _reply(model, attempt, first=len(asked) == 1)
        if reply is None:
            continue
        usage += reply.usage
        raws.append(reply.text)
        value, warnings, problems = _read(reply, wanted, check)
        if value is not None and not problems:
            return Answer(value, warnings, usage, raws)
        attempt = replace(
            request,
            messages=(
                *request.messages,
                Message("assistant", reply.text),
                Message("user", reask(problems)),
            ),
        )
    for failed in asked:
        model.reject(failed)
    raise ModelError(
        "llm.truncated" if problems == [CUT_OFF] else "llm.reply",
        f"{model.name} gave no usable reply for step {request.role}: {'; '.join(problems)}.",
        _REMEDY,
    )


def _reply(model: Model, request: Request, *, first: bool) -> Reply | None:
    """The reply, or None when the first one was so bad that the client could make nothing of it."""
    try:
        return model.complete(request)
    except ModelError as error:
        if first and error.code in ("llm.reply", "llm.truncated"):
            return None
        raise


def _read(
    reply: Reply, wanted: type[T], check: Callable[[T], list[str]]
) -> tuple[T | None, list[str], list[str]]:
    """``(value, warnings, problems)`` of a reply."""
    if reply.finish_reason == "length":
        return None, [], [CUT_OFF]
    data = read_object(split_thinking(reply.text)[0])
    if data is None:
        return None, [], [NO_OBJECT]
    if not set(data) & set(wanted.model_fields):
        return None, [], [f"the object has none of the keys {', '.join(wanted.model_fields)}"]
    warnings: list[str] = []
    try:
        value = wanted.model_validate(data, context={"warnings": warnings})
    except ValidationError as error:
        return None, warnings, [_sentence(dict(item)) for item in error.errors()]
    return value, warnings, check(value)


def _sentence(item: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in item["loc"]) or "the object"
    return f"{where}: {item['msg']}"
