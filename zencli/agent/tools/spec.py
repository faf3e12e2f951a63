"""What a tool is: name, schema, permission and handler together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from zencli.agent.tools.envelope import ToolResult
from zencli.agent.turn import Turn
from zencli.story.book import Language

Permission: TypeAlias = Literal["read", "write", "control"]
Said: TypeAlias = dict[Language, str]


def said(zh: str, en: str) -> Said:
    """A text in both languages."""
    return {"zh": zh, "en": en}


@dataclass(frozen=True)
class ToolSpec:
    """One tool.

    ``parameters`` is the JSON schema of its arguments, each description in both languages (see
    ``said``). ``permission`` is what it may do: read, write into the book, or steer the turn.
    ``checks_itself``: the handler says itself what is wrong with its arguments.
    """

    name: str
    description: Mapping[Language, str]
    parameters: dict[str, Any]
    permission: Permission
    handler: Callable[[Turn, dict[str, Any]], ToolResult]
    checks_itself: bool = False

    def schema(self, language: Language) -> dict[str, Any]:
        """The JSON schema with its descriptions in one language."""
        told: dict[str, Any] = _in(language, self.parameters)
        return told


def text(zh: str, en: str, **limits: Any) -> dict[str, Any]:
    """The schema of a string."""
    return {"type": "string", **limits, "description": said(zh, en)}


def number(zh: str, en: str, **limits: Any) -> dict[str, Any]:
    """The schema of a whole number."""
    return {"type": "integer", **limits, "description": said(zh, en)}


def flag(zh: str, en: str) -> dict[str, Any]:
    """The schema of a yes or no."""
    return {"type": "boolean", "description": said(zh, en)}


def texts(zh: str, en: str, **limits: Any) -> dict[str, Any]:
    """The schema of a list of strings."""
    return {"type": "array", "items": {"type": "string"}, **limits, "description": said(zh, en)}


def arguments(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments; nothing but these is taken."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _in(language: Language, value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"zh", "en"}:
            return value[language]
        return {key: _in(language, item) for key, item in value.items()}
    return [_in(language, item) for item in value] if isinstance(value, list) else value
