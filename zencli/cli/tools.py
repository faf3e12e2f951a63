"""``model`` (the embedded one) and ``schema``."""

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.cli.schemas import SchemaVerb, data_schema


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
