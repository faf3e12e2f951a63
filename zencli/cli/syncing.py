"""``sync``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.editing.sync_params import Sync

if TYPE_CHECKING:
    from zencli.pipeline.editing.sync_results import SyncedChapter, SyncResult
    from zencli.pipeline.runner import Runner


def sync(invocation: Invocation, params: Sync) -> None:
    """Settle chapters that were edited by hand."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.pipeline.partly import PartlyDone

        try:
            result = runner.sync(params)
        except PartlyDone as error:
            result, outcome.error = error.result, error
        outcome.data, outcome.text = result, _synced(result)

    run_verb("sync", invocation, body)


def _synced(result: "SyncResult") -> str:
    lines = [f"chapter {m.before} is chapter {m.after} now" for m in result.renamed]
    lines += [f"chapter {n} was taken away; its record is in the history" for n in result.removed]
    lines += [line for chapter in result.chapters for line in _chapter(chapter)]
    if result.stale:
        lines.append(f"stale now: {', '.join(map(str, result.stale))}")
    return "\n".join(lines) or "No chapter was edited by hand."


def _chapter(chapter: "SyncedChapter") -> list[str]:
    what = {
        "settled": "settled",
        "measured": "measured",
        "unsettled": "counted, but unsettled",
        "left": "left as edited: the model's reply was no use",
    }[chapter.action]
    head = f"chapter {chapter.number}: {chapter.title} ({chapter.words} {chapter.unit}), {what}"
    return [
        f"{head}, status {chapter.status}",
        *(f"  dropped: {sentence}" for sentence in chapter.dropped),
        *(f"  {sentence}" for sentence in chapter.overruled),
    ]
