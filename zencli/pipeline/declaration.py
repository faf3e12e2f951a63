"""What a declared parameter is: a field whose ``Meta`` says how it is spelt on the command line and
which sub-agent may use it; a field without an agent is for the command line only.
"""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

AgentName = Literal["architect", "writer", "auditor", "reviser", "exporter"]


@dataclass(frozen=True)
class Meta:
    """``flags`` are the option's spellings, empty for a positional argument.

    ``source``: on the command line the text may be ``@FILE``, or ``-`` for stdin. ``alone`` is
    for the positional argument after ``BOOK``: a first word of this pattern is its value and no
    book, when there is no book of that name.
    """

    flags: tuple[str, ...] = ()
    agents: tuple[AgentName, ...] = ()
    metavar: str = ""
    source: bool = False
    alone: str = ""


def param(
    default: Any,
    description: str,
    *flags: str,
    agents: tuple[AgentName, ...] = (),
    metavar: str = "",
    source: bool = False,
    alone: str = "",
    **limits: Any,
) -> Any:
    """A declared parameter: its default, help text, spellings, sub-agents and limits."""
    meta = Meta(flags, agents, metavar, source, alone)
    extra = {"zencli": meta}  # read by `meta_of`; never leaves the process
    return Field(default, description=description, json_schema_extra=extra, **limits)  # type: ignore[arg-type]


def meta_of(field: FieldInfo) -> Meta:
    """The ``Meta`` of a field declared by ``param``."""
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    meta = extra["zencli"]
    assert isinstance(meta, Meta)
    return meta


class Params(BaseModel):
    """Base of the parameter models: strict about names, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, defer_build=True)


def wire_name(name: str) -> str:
    """The ``sub_agent`` name of a parameter: ``chapter_word_count`` is ``chapterWordCount``."""
    return to_camel(name)
