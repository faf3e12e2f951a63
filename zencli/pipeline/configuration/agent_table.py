"""``[agent]`` of a configuration file: the limits and habits of the agent loop."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AgentTable(BaseModel):
    """Limits of one turn of ``zencli agent``.

    ``review_words``: from how many words written the reviewer looks at them by itself.
    ``compaction``: whether a session that no longer fits is summarised.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_agent_runs: int = Field(12, ge=1)
    max_tool_turns: int = Field(60, ge=1)
    max_model_calls: int = Field(120, ge=1)
    max_seconds: float = Field(1200.0, gt=0)
    review: Literal["auto", "on", "off"] = "auto"
    review_words: int = Field(500, ge=1)
    route: str = "llm"
    compaction: bool = False
