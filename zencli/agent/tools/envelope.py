"""What every tool answers: one envelope, whatever happened."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolResult:
    """The outcome of one call.

    ``error_type`` is a stable word, empty on success. ``for_model`` says in one sentence what
    happened and what to do next, ``for_author`` the same in words for a person without tool names.
    ``kept`` marks a refusal that keeps the author's own work: it's told as "kept as you left it" or
    "asked first", not as a failure.
    """

    data: dict[str, Any] = field(default_factory=dict)
    error_type: str = ""
    for_model: str = ""
    for_author: str = ""
    kept: bool = False

    @property
    def ok(self) -> bool:
        """Whether the tool did what was asked."""
        return not self.error_type

    def to_json(self) -> dict[str, Any]:
        """The envelope as the model gets it."""
        return {
            "status": "success" if self.ok else "error",
            "data": self.data,
            "error_type": self.error_type,
            "message": self.for_model,
        }
