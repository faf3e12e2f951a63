"""``model`` (the embedded one) and ``schema``."""

from typing import Any, Literal

from pydantic import BaseModel

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command

SchemaVerb = Literal[
    "init-book", "write-next", "audit", "revise", "export", "approve", "unapprove", "undo",
    "history", "restore", "sync", "doctor", "repair", "import", "list", "status",
]  # fmt: skip


def model_install(invocation: Invocation) -> None:
    """Fetch the embedded model and verify it."""

    def body(outcome: Outcome) -> None:
        import sys

        from zencli.llm.embedded import install

        def report(text: str) -> None:
            if not invocation.quiet:
                sys.stderr.write(text + "\n")

        path = install(report)
        outcome.data = {"path": str(path)}
        outcome.text = str(path)

    run_command("model install", invocation, body)


def model_status(invocation: Invocation) -> None:
    """Say whether the embedded model is installed and intact."""

    def body(outcome: Outcome) -> None:
        from zencli.llm.embedded import installed, verify

        path = installed()
        if path is not None:
            verify(path)
        outcome.data = {"installed": path is not None, "path": str(path) if path else None}
        outcome.text = str(path) if path else "Not installed. Run `zencli model install`."

    run_command("model status", invocation, body)


def schema(invocation: Invocation, verb: SchemaVerb) -> None:
    """Print the JSON Schema of a verb's data."""

    def body(outcome: Outcome) -> None:
        import json

        found = data_schema(verb)
        outcome.data = found
        outcome.text = json.dumps(found, ensure_ascii=False, sort_keys=True, indent=1)

    run_command("schema", invocation, body)


def data_schema(verb: SchemaVerb) -> dict[str, Any]:
    """The JSON Schema of what a verb puts into ``data``.

    Its result, what ``--dry-run`` shows where a model is used, or nothing when it failed early.
    """
    from pydantic import TypeAdapter

    from zencli.cli.preview import NoData, Preview
    from zencli.pipeline import overview, results
    from zencli.pipeline.editing import sync_results

    models: dict[SchemaVerb, type[BaseModel]] = {
        "init-book": results.InitBookResult,
        "write-next": results.WriteNextResult,
        "audit": results.AuditResult,
        "revise": results.ReviseResult,
        "export": results.ExportResult,
        "approve": results.ApproveResult,
        "unapprove": results.ApproveResult,
        "undo": results.UndoResult,
        "history": results.HistoryResult,
        "restore": results.RestoreResult,
        "sync": sync_results.SyncResult,
        "doctor": results.DoctorResult,
        "repair": results.RepairResult,
        "import": results.ImportResult,
        "list": overview.BookList,
        "status": overview.BookStatusView,
    }
    wanted: Any = models[verb] | NoData
    if verb in ("init-book", "write-next", "audit", "revise", "sync"):
        wanted |= Preview
    return TypeAdapter(wanted).json_schema(mode="serialization")
