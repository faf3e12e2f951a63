"""``parallel_execute``: a few calls of other tools at once; reads together, writes in order."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any, TypeAlias

from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.spec import ToolSpec, arguments, said
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn

READS = ("query_files", "hybrid_search")
WRITES = ("create_file", "edit_file", "delete_file", "update_project")
MOST = 5
_AT_ONCE = 2

Call: TypeAlias = Callable[[Turn, str, dict[str, Any]], ToolResult]


def parallel_spec(call: Call) -> ToolSpec:
    """The tool, over the one way of calling the others."""

    def parallel_execute(turn: Turn, given: dict[str, Any]) -> ToolResult:
        tasks = given["tasks"]
        for at, task in enumerate(tasks):
            _check(at, task)
        results = _run(turn, call, tasks)
        failed = [result for result in results if not result.ok]
        data = {
            "results": [
                {"tool": task["tool"], **result.to_json()}
                for task, result in zip(tasks, results, strict=True)
            ]
        }
        done = len(results) - len(failed)
        return ToolResult(
            data=data,
            error_type="" if done else failed[0].error_type,
            for_model=f"{done} of {len(results)} calls succeeded; each result says how it went.",
            for_author=tell(turn, "parallel", done=done, failed=len(failed)),
            kept=not done and all(result.kept for result in failed),
        )

    return ToolSpec(
        name="parallel_execute",
        description=said(
            "一次做几件互不相干的小事（最多五件）：查几处、改几个文件。长正文不在这里写。",
            "A few small independent calls at once (five at most): look in several places, change "
            "several files. Long texts aren't written here.",
        ),
        parameters=arguments(["tasks"], tasks=_TASKS),
        permission="write",
        handler=parallel_execute,
    )


def _check(at: int, task: dict[str, Any]) -> None:
    if task["tool"] == "create_file" and not str(task["arguments"].get("content") or "").strip():
        raise ToolRefused(
            "invalid_arguments",
            f"tasks[{at}]: create_file needs content here.",
            "A file whose text is streamed is made by create_file alone.",
            data={"parameter": f"tasks[{at}].arguments.content"},
        )


def _run(turn: Turn, call: Call, tasks: Sequence[dict[str, Any]]) -> list[ToolResult]:
    """Neighbouring reads run together, so that a read after a write sees what was written."""
    results: list[ToolResult] = []
    for reads, group in groupby(tasks, key=lambda task: task["tool"] in READS):
        calls = [(turn, task["tool"], task["arguments"]) for task in group]
        if reads and len(calls) > 1:
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                results += threads.map(lambda args: call(*args), calls)
        else:
            results += [call(*args) for args in calls]
    return results


_TASKS = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST,
    "items": {
        "type": "object",
        "properties": {
            "tool": {
                "type": "string",
                "enum": [*READS, *WRITES],
                "description": said("用哪个工具", "which tool"),
            },
            "arguments": {"type": "object", "description": said("它的参数", "its arguments")},
        },
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    },
    "description": said("要做的几件事", "the calls"),
}
