"""``style learn`` and ``style show``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.style.style_params import StyleLearn, StyleShow

if TYPE_CHECKING:
    from zencli.pipeline.runner import Runner
    from zencli.pipeline.style.style_results import Feature, StyleResult, StyleView


def style_learn(invocation: Invocation, params: StyleLearn) -> None:
    """Measure a text and write its voice into the book's style.md."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.style_learn(params)
        outcome.data, outcome.text = result, _learnt(result)

    run_verb("style learn", invocation, body)


def style_show(invocation: Invocation, params: StyleShow) -> None:
    """Show what was learnt, and how far the latest chapters are from it."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.style_show(params)
        outcome.data, outcome.text = result, _shown(result)

    run_verb("style show", invocation, body)


def _learnt(result: "StyleResult") -> str:
    done = "written into" if result.changed else "not changed:"
    lines = [f"{result.source}: {result.units} {result.unit}, {done} {result.path}"]
    lines += _features(result.features)
    if result.described:
        lines.append(result.described)
    return "\n".join(lines)


def _shown(result: "StyleView") -> str:
    if not result.text:
        return f"No style was learnt: zencli style learn FILE --book {result.book_id}"
    lines = [result.text]
    lines += [f"chapter {c.number}: distance {c.distance:.2f}" for c in result.chapters]
    return "\n".join(lines)


def _features(features: "list[Feature]") -> list[str]:
    return [f"  {f.name.replace('_', ' ')}: {f.mean:.3g} (±{f.spread:.2g})" for f in features]
