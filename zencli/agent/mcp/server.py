"""The server itself, over stdin and stdout. The only module that imports ``mcp``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zencli import __version__
from zencli.agent.mcp.calls import Calls
from zencli.agent.mcp.offers import offers
from zencli.errors import UsageError
from zencli.pipeline.session import RunOptions

if TYPE_CHECKING:
    from mcp.server import Server

INSTRUCTIONS = (
    "Plan, write, judge, revise and export novels on plain Markdown files. A verb that calls a "
    "model takes minutes. Read a file with query_files before you edit it, and give its revision "
    "to edit_file. What the author wrote by hand stays as he wrote it."
)


def serve(root: Path, options: RunOptions) -> None:
    """Serve one client until it goes. Raises UsageError ``usage.mcp`` without the package."""
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise UsageError(
            "usage.mcp",
            "The package mcp isn't installed.",
            "Install it: pip install 'zencli[mcp]'",
        ) from error
    server = build(Calls(root, options))

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def build(calls: Calls) -> "Server[dict[str, Any]]":
    """The server with its tools; they run one at a time, in the order in which they come."""
    import anyio
    from anyio.to_thread import run_sync
    from mcp import types
    from mcp.server import Server

    turn = anyio.Lock()

    async def list_tools(
        context: Any, params: "types.PaginatedRequestParams | None"
    ) -> "types.ListToolsResult":
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=offer.name,
                    description=offer.description,
                    input_schema=offer.schema,
                    annotations=types.ToolAnnotations(read_only_hint=offer.reads),
                )
                for offer in offers()
            ]
        )

    async def call_tool(
        context: Any, params: "types.CallToolRequestParams"
    ) -> "types.CallToolResult":
        async with turn:
            data, done = await run_sync(calls.call, params.name, params.arguments or {})
        text = json.dumps(data, ensure_ascii=False, sort_keys=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=data,
            is_error=not done,
        )

    return Server(
        "zencli",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
