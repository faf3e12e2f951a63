"""Tools in plain text, for endpoints that take none: how they are told, and how calls are read.

A model that was trained to call functions writes calls as ``<tool_call>`` blocks or fenced JSON
even where nobody sent it a tool; endpoints that do take tools let such calls through as text.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from zencli.llm.reading import read_object
from zencli.llm.types import Message, Tool, ToolCall

OPEN, CLOSE = "<tool_call>", "</tool_call>"
FENCE = "```"
_BLOCK = re.compile(
    rf"{OPEN}(?P<tagged>.*?)(?:{CLOSE}|\Z)|{FENCE}[\w ]*\n(?P<fenced>.*?)(?:{FENCE}|\Z)", re.DOTALL
)


_WORDS = {
    "en": (
        "You can call these functions, each given with the JSON schema of its arguments:\n"
        "{listed}\n"
        "To call one, write exactly this, one block for each call, and nothing after the last:\n"
        "{form}\n"
        "The results come in the next message. When you need no function, answer in plain text."
    ),
    "zh": (
        "你可以调用下列函数，每个函数都附有参数的 JSON schema：\n{listed}\n"
        "要调用时，严格按下面的格式写，每次调用一段，最后一段之后不要再写任何内容：\n"
        "{form}\n"
        "结果会在下一条消息里给出。不需要函数时，直接用文字回答。"
    ),
}
_FORM = f'{OPEN}{{"name": "...", "arguments": {{...}}}}{CLOSE}'
_HAN = re.compile("[\u4e00-\u9fff]")


def tools_in_words(tools: Iterable[Tool], conversation: str) -> str:
    """What a system message must say so that a model calls ``tools`` in its text.

    It is in Chinese where the ``conversation`` is.
    """
    listed = "\n".join(
        json.dumps(
            {"name": t.name, "description": t.description, "parameters": t.parameters},
            ensure_ascii=False,
        )
        for t in tools
    )
    chinese = len(_HAN.findall(conversation)) > len(conversation) / 5
    return _WORDS["zh" if chinese else "en"].format(listed=listed, form=_FORM)


def without_tools(messages: Sequence[Message], tools: Sequence[Tool]) -> list[Message]:
    """The same conversation for an endpoint that takes no tools.

    Tools go to the end of the system message, calls into the text of the assistant, results into
    the next message of the user.
    """
    plain: list[Message] = []
    for message in messages:
        told = _in_text(message)
        if plain and told.role == "user" and plain[-1].role == "user":
            joined = f"{plain[-1].content}\n\n{told.content}"
            plain[-1] = replace(plain[-1], content=joined)
        else:
            plain.append(told)
    if tools:
        words = tools_in_words(tools, plain[0].content if plain else "")
        if plain and plain[0].role == "system":
            plain[0] = replace(plain[0], content=f"{plain[0].content}\n\n{words}")
        else:
            plain.insert(0, Message("system", words))
    return plain


def _in_text(message: Message) -> Message:
    if message.role == "tool":
        result = f'<tool_result id="{message.tool_call_id}">\n{message.content}\n</tool_result>'
        return Message("user", result)
    if not message.tool_calls:
        return message
    blocks = [
        f'{OPEN}{{"name": {json.dumps(c.name)}, "arguments": {sound_arguments(c)}}}{CLOSE}'
        for c in message.tool_calls
    ]
    return Message(message.role, "\n".join([*filter(None, [message.content]), *blocks]))


def sound_arguments(call: ToolCall) -> str:
    """The arguments of an earlier call as JSON, since some servers fail on any that aren't."""
    try:
        json.loads(call.arguments)
    except ValueError:
        return json.dumps({"unreadable": call.arguments}, ensure_ascii=False)
    return call.arguments


def read_calls(text: str, names: Collection[str]) -> tuple[str, list[tuple[str, str]]]:
    """``(text without calls, [(name, arguments)])`` of calls to ``names`` written into ``text``."""
    calls: list[tuple[str, str]] = []

    def take(found: re.Match[str]) -> str:
        call = _call(found["tagged"] or found["fenced"] or "", names)
        if call is None:
            return found[0]
        calls.append(call)
        return ""

    rest = _BLOCK.sub(take, text)
    if not calls and text.lstrip().startswith("{"):
        call = _call(text, names)
        if call is not None:
            return "", [call]
    return (rest.strip() if calls else text), calls


def _call(text: str, names: Collection[str]) -> tuple[str, str] | None:
    data: dict[str, Any] | None = read_object(text)
    if data is None or data.get("name") not in names:
        return None
    arguments = data.get("arguments", data.get("parameters", {}))
    if isinstance(arguments, str):
        return data["name"], arguments
    return data["name"], json.dumps(arguments, ensure_ascii=False)


class CallFilter:
    """Leaves calls that a model writes into its text out of a stream.

    What may be a call is held back until it is known: a block in tags or fences until it ends, a
    text that begins with a brace until the end.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._held = ""
        self._begun = False

    def feed(self, piece: str) -> str:
        """The text that may be shown by now."""
        self._held += piece
        if not self._names:
            return self._let(len(self._held))
        if not self._begun and self._held.lstrip()[:1] in ("", "{"):
            return ""
        self._begun = True
        shown = ""
        while (found := _closed(self._held)) is not None:
            shown += read_calls(self._held[: found.end()], self._names)[0]
            self._held = self._held[found.end() :]
        return shown + self._let(_start(self._held))

    def end(self) -> str:
        """What was held back and is no call."""
        held, self._held = self._held, ""
        return read_calls(held, self._names)[0]

    def _let(self, size: int) -> str:
        ready, self._held = self._held[:size], self._held[size:]
        return ready


def _closed(text: str) -> re.Match[str] | None:
    """The first block of ``text`` if it has ended."""
    found = _BLOCK.search(text)
    whole = found is not None and found[0].endswith((CLOSE, FENCE)) and len(found[0]) > len(FENCE)
    return found if whole else None


def _start(text: str) -> int:
    """Where a block that may be a call begins, the end of the text when none does."""
    starts = [at for at in (text.find(OPEN), text.find(FENCE)) if at >= 0]
    if starts:
        return min(starts)
    for mark in (OPEN, FENCE):
        for size in range(min(len(mark) - 1, len(text)), 0, -1):
            if text.endswith(mark[:size]):
                starts.append(len(text) - size)
                break
    return min(starts, default=len(text))
