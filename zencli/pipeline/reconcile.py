"""The last planning call: contradictions among the new book's files, mended where they stand."""

from zencli.pipeline.architect import Architect
from zencli.pipeline.results import Mended
from zencli.story import markdown
from zencli.story.foundation import Correction, Reconciliation

_DOCUMENTS = ("story_bible", "timeline", "secrets", "rules", "outline")


def reconcile(architect: Architect, files: dict[str, str]) -> list[Mended]:
    """Ask for contradictions and mend ``files`` in place; returns each with what became of it.

    A fix is applied when its old text stands exactly once among the files it may be meant for.
    """
    cards = [files[name].strip() for name in files if name.startswith("characters/")]
    shown = [{"name": name, "text": files[f"{name}.md"].strip()} for name in _DOCUMENTS]
    shown.append({"name": "characters", "text": "\n\n".join(cards)})
    shown = [
        {"name": part["name"], "text": architect.shortened(part["text"])}
        for part in shown
        if markdown.body(part["text"])
    ]
    reply = architect.ctx.structured(
        "architect",
        "reconcile",
        [architect.task("reconcile", documents=shown)],
        Reconciliation,
    )
    mended = []
    for problem in reply.problems:
        if problem.what and problem.old and problem.new and problem.old != problem.new:
            applied = _apply(problem, files)
            mended.append(Mended(**problem.model_dump(), applied=applied))
            if not applied:
                architect.ctx.warn(
                    f"reconcile: not applied, its place wasn't found: {problem.what}"
                )
    return mended


def _apply(problem: Correction, texts: dict[str, str]) -> bool:
    wanted = problem.document.removesuffix(".md")
    named = [n for n in texts if n == f"{wanted}.md" or n.startswith(f"{wanted}/")]
    for group in (named, list(texts)):
        places = [name for name in group for _ in range(texts[name].count(problem.old))]
        if len(places) == 1:
            texts[places[0]] = texts[places[0]].replace(problem.old, problem.new)
            return True
    return False
