"""Tool calls as they come on the wire: whole, or in fragments, with what endpoints leave out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zencli.llm.types import Tool, ToolCall


@dataclass
class _Slot:
    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


class CollectedCalls:
    """Puts tool calls together.

    Fragments belong together by ``index``. Where it is missing or always the same, another id, or
    another name after whole arguments, begins another call.
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []

    def __bool__(self) -> bool:
        return bool(self._slots)

    def take(self, part: Mapping[str, Any], *, whole: bool) -> None:
        """Take in a ``whole`` call, or a fragment of one."""
        function = part.get("function") or {}
        index = part.get("index")
        given, name = str(part.get("id") or ""), str(function.get("name") or "")
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        fragment = _Slot(index if isinstance(index, int) else None, given, name, arguments or "")
        slot = self._new(fragment) if whole else self._slot(fragment)
        slot.id = slot.id or given
        if name != slot.name:
            slot.name += name
        slot.arguments += fragment.arguments

    def _new(self, fragment: _Slot) -> _Slot:
        self._slots.append(_Slot(fragment.index))
        return self._slots[-1]

    def _slot(self, fragment: _Slot) -> _Slot:
        same = [slot for slot in self._slots if slot.index == fragment.index]
        own = (slot for slot in same if fragment.id and slot.id == fragment.id)
        slot = next(own, same[-1] if same else None)
        return self._new(fragment) if slot is None or _another(slot, fragment) else slot

    def calls(self, tools: Sequence[Tool], turn: int, *, cut: bool) -> tuple[ToolCall, ...]:
        """The calls in order, each with an id of its own.

        A call without a name is of the only tool there is, or nothing. ``turn`` makes ids unique in
        the conversation. With ``cut``, a call whose arguments aren't whole is left out.
        """
        found: list[ToolCall] = []
        for slot in self._slots:
            name = slot.name or (tools[0].name if len(tools) == 1 else "")
            if not name or (cut and not is_json(slot.arguments)):
                continue
            taken = {call.id for call in found}
            own = slot.id if slot.id and slot.id not in taken else f"call_{turn}_{len(found) + 1}"
            found.append(ToolCall(own, name, slot.arguments.strip() or "{}"))
        return tuple(found)


def _another(slot: _Slot, fragment: _Slot) -> bool:
    """Whether a fragment that could be of ``slot`` begins another call."""
    if not fragment.name:
        return False
    if fragment.id and slot.id:
        return fragment.id != slot.id
    news = fragment.name != slot.name or bool(fragment.arguments)
    return bool(slot.name) and is_json(slot.arguments) and news


def is_json(text: str) -> bool:
    """Whether ``text`` is whole JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
