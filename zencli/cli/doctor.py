"""``doctor`` and ``repair``."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.errors import DamagedError, ModelError
from zencli.pipeline.mending.repair_params import Doctor, Repair

if TYPE_CHECKING:
    from zencli.pipeline.mending.online_results import OnlineModel
    from zencli.pipeline.results import (
        DoctorResult,
        ModelLine,
        Problem,
        RepairResult,
        Setup,
    )
    from zencli.pipeline.runner import Runner

DRY_RUN = "show what would be mended, and change nothing"
_SHOWN = 5
"""Problems of one kind that are listed."""


def doctor(invocation: Invocation, params: Doctor) -> None:
    """Say what is wrong with a book and which command mends it."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.doctor(params)
        outcome.data, outcome.text = result, _examined(result)
        bad = [problem for problem in result.problems if problem.repair]
        if bad:
            what = "1 problem needs" if len(bad) == 1 else f"{len(bad)} problems need"
            outcome.error = DamagedError("book.damaged", f"{what} repair.", _first(bad))
        elif result.online:
            from zencli.pipeline.mending.doctor_online import first_error

            outcome.error = first_error(result.online)

    run_verb("doctor", invocation, body)


def repair(invocation: Invocation, params: Repair) -> None:
    """Mend a damaged book; what is replaced stays in the history."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.pipeline.partly import PartlyDone

        try:
            result = runner.repair(params)
        except PartlyDone as error:
            result, outcome.error = error.result, error
        outcome.data, outcome.text = result, _repaired(result)
        if result.unread and outcome.error is None:
            outcome.error = ModelError(
                "llm.reply",
                f"No usable reply came for chapter {_numbers(result.unread)}.",
                "Give the command again, or try another model.",
            )
        bad = [problem for problem in result.left if problem.repair]
        if bad and outcome.error is None and not result.dry_run:
            message = f"Not everything could be mended: {bad[0].message}"
            outcome.error = DamagedError("book.damaged", message, _first(bad))

    run_verb("repair", invocation, body)


def _first(problems: "list[Problem]") -> str:
    commands = (problem.command for problem in problems if problem.command)
    command = next(commands, None)
    return f"Begin with: {command}" if command else "Only you can mend that."


def _examined(result: "DoctorResult") -> str:
    lines = [] if result.setup is None else _setup(result.setup)
    lines += _problems(p for p in result.problems if p.book_id is None)
    for book_id in result.books:
        told = _problems(p for p in result.problems if p.book_id == book_id)
        lines += [f"{book_id}:", *told] if told else [f"{book_id}: nothing is wrong"]
    for model in result.online:
        lines += _online(model)
    return "\n".join(lines) or "No book yet. Make one with `zencli init-book`."


def _online(model: "OnlineModel") -> list[str]:
    """What was found out about a model, in words."""
    name = "the embedded model" if model.name is None else f"{model.name} at {model.base_url}"
    lines = [f"tried out: {name}"]
    for check in model.checks:
        word = "works" if check.works else "fails"
        lines.append(f"  {check.name}: {word} ({check.seconds:.1f} s): {check.message}")
    if not any(check.works for check in model.checks):
        return lines
    source = "as the endpoint says" if model.window_from == "endpoint" else "by the profile alone"
    lines.append(f"  window: {model.window} tokens, {source}")
    if model.name is not None:
        lines.append(f"  profile that fits: {_inline(model.profile)}")
    if model.written:
        lines.append(f"  written to {model.written}")
    return lines


def _inline(profile: dict[str, Any]) -> str:
    """A profile as it can be put into zencli.toml."""
    return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in profile.items()) + " }"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return _inline(value)
    return str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _setup(setup: "Setup") -> list[str]:
    return [
        *map(_model, setup.models),
        f"embedded model: {setup.embedded_model or 'not installed'}",
    ]


def _model(line: "ModelLine") -> str:
    key = "with a key" if line.key else "without a key"
    name = "the embedded model" if line.name is None else f"{line.name} at {line.base_url}, {key}"
    return f"{', '.join(line.roles)}: {name}"


def _problems(problems: "Iterable[Problem]") -> list[str]:
    """The problems in lines, of a kind that is very common only the first ones."""
    lines: list[str] = []
    by_code: dict[str, list[Problem]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    for alike in by_code.values():
        lines += map(_problem, alike[:_SHOWN])
        if len(alike) > _SHOWN:
            lines.append(f"  ... and {len(alike) - _SHOWN} more like that")
    return lines


def _problem(problem: "Problem") -> str:
    command = f"\n    {problem.command}" if problem.command else ""
    return f"  {problem.message}{command}"


def _repaired(result: "RepairResult") -> str:
    lines: list[str] = []
    for file in result.files:
        note = f" ({file.note})" if file.note else ""
        lines.append(f"{file.action}: {file.path}{note}")
    if result.settled:
        lines.append(f"settled: chapter {_numbers(result.settled)}")
    if result.stale:
        lines.append(f"stale now: {_numbers(result.stale)}")
    done = "nothing to mend" if not lines else ""
    if result.dry_run and result.unsettled:
        lines.append(f"to be read by the model: chapter {_numbers(result.unsettled)}")
    elif result.unsettled:
        lines.append(f"unsettled: {_numbers(result.unsettled)}")
    left = _problems(result.left)
    if left:
        lines += ["left:", *left]
    return "\n".join([done, *lines] if done else lines)


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
