"""What ``export`` returns."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.export_params import ExportFormat
from zencli.pipeline.result_base import Result


class Skipped(BaseModel):
    """A chapter that isn't in the export, or is (``left_out`` False) and should be looked at."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    number: int
    reason: str
    left_out: bool


class ExportResult(Result):
    """A finished file, or the folder with one a chapter.

    ``notes`` are what the author should know of it, ``messages`` what EPUBCheck says.
    """

    model_config = ConfigDict(defer_build=True)

    path: str
    format: ExportFormat
    chapters: int
    words: int
    unit: Literal["chars", "words"]
    skipped: list[Skipped]
    notes: list[str]
    messages: list[str]
