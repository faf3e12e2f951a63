"""A dry run as data: the messages, the sections with their tokens, the estimate."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.context_report import ContextSection, section_data
from zencli.pipeline.run_context import Previewed


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NoData(_Data):
    """What a command has to tell that failed before it did anything."""


class PreviewMessage(_Data):
    """One message, exactly as it would be sent."""

    role: str
    content: str


class Preview(_Data):
    """The first call that a command would make."""

    dry_run: Literal[True]
    role: str
    messages: list[PreviewMessage]
    sections: list[ContextSection]
    estimated_tokens: int
    window: int


def preview(previewed: Previewed) -> Preview:
    """The call that a dry run stopped at."""
    request = previewed.request
    return Preview(
        dry_run=True,
        role=request.role,
        messages=[PreviewMessage(role=m.role, content=m.content) for m in request.messages],
        sections=[section_data(section) for section in previewed.sections],
        estimated_tokens=request.estimate(previewed.profile),
        window=previewed.profile.window,
    )
