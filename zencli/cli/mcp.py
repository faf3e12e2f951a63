"""``mcp``."""

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.errors import UsageError
from zencli.pipeline.declaration import Params


class Mcp(Params):
    """Serve the verbs to other programs' agents (MCP, over stdin and stdout)."""


def mcp(invocation: Invocation, params: Mcp) -> None:
    """Serve the verbs to other programs' agents (MCP, over stdin and stdout)."""

    def body(outcome: Outcome) -> None:
        from zencli.agent.mcp.server import serve

        if invocation.dry_run or invocation.json:
            option = "--dry-run" if invocation.dry_run else "--json"
            raise UsageError("usage.options", f"{option} isn't for a server.", "Leave it out.")
        if not invocation.root.is_dir():
            raise UsageError(
                "usage.root", f"There is no folder {invocation.root}.", "Give --root a workspace."
            )
        serve(invocation.root, invocation.run_options())

    run_command("mcp", invocation, body)
