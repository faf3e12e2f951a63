"""The JSON Schema of what each command puts into ``data``."""

from typing import Any, Literal

SchemaVerb = Literal[
    "init-book", "write-next", "audit", "revise", "export", "approve", "unapprove", "undo",
    "history", "restore", "sync", "doctor", "repair", "import", "list", "status", "show", "trace",
    "agent", "report", "waive", "suggest", "style learn", "style show", "skills list",
    "skills show", "skills import", "skills export",
]  # fmt: skip
"""Commands whose data has a schema; one of two words is given in quotation marks."""

_PREVIEWED = (
    "init-book", "write-next", "audit", "revise", "sync", "agent", "suggest", "style learn",
)  # fmt: skip
"""Those that show the first call with ``--dry-run``."""


def data_schema(verb: SchemaVerb) -> dict[str, Any]:
    """The schema: the command's results, a preview where a model is used, or nothing when it
    failed early."""
    from pydantic import TypeAdapter

    from zencli.cli.preview import NoData, Preview

    wanted: Any = NoData
    for model in (*_results()[verb], *((Preview,) if verb in _PREVIEWED else ())):
        wanted = wanted | model
    return TypeAdapter(wanted).json_schema(mode="serialization")


def _results() -> dict[SchemaVerb, tuple[Any, ...]]:
    from zencli.agent.results import AgentResult
    from zencli.cli import skills
    from zencli.pipeline import overview, results
    from zencli.pipeline.accounts.trace import TraceResult
    from zencli.pipeline.auditing.judged_results import WaiveResult
    from zencli.pipeline.context_report import ContextView
    from zencli.pipeline.editing import sync_results
    from zencli.pipeline.reporting.report_params import ReportResult
    from zencli.pipeline.revising.revise_diff import DiffResult
    from zencli.pipeline.show_result import ShownChapter
    from zencli.pipeline.style.style_results import StyleResult, StyleView
    from zencli.pipeline.suggesting.suggest_params import SuggestResult
    from zencli.pipeline.trends.trend import TrendResult

    return {
        "agent": (AgentResult,),
        "init-book": (results.InitBookResult,),
        "write-next": (results.WriteNextResult,),
        "audit": (results.AuditResult, TrendResult),
        "revise": (results.ReviseResult,),
        "export": (results.ExportResult,),
        "approve": (results.ApproveResult,),
        "unapprove": (results.ApproveResult,),
        "undo": (results.UndoResult,),
        "history": (results.HistoryResult,),
        "restore": (results.RestoreResult,),
        "sync": (sync_results.SyncResult,),
        "doctor": (results.DoctorResult,),
        "repair": (results.RepairResult,),
        "import": (results.ImportResult,),
        "list": (overview.BookList,),
        "status": (overview.BookStatusView,),
        "style learn": (StyleResult,),
        "style show": (StyleView,),
        "trace": (TraceResult,),
        "report": (ReportResult,),
        "suggest": (SuggestResult,),
        "waive": (WaiveResult,),
        "show": (ShownChapter, DiffResult, ContextView),
        "skills list": (skills.SkillList,),
        "skills show": (skills.SkillText,),
        "skills import": (skills.SkillFile,),
        "skills export": (skills.SkillFile,),
    }
