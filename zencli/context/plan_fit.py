"""A plan within a budget: what a chapter can do without goes first."""

from collections.abc import Callable

from zencli.context.budget import fit_text
from zencli.story.plan import Plan

_LISTS = ("details", "new_terms", "leave", "new", "clues", "hold_back", "keep")
"""What is shortened, from the least needful to the most."""

SCENES, PRESENT = 6, 8
"""How many scenes a plan keeps that is far too long, and how many names a list in it."""

_TEXTS = ("purpose", "choice", "stakes", "ending")


def said(plan: Plan) -> str:
    """Everything that a plan says to whoever writes by it, as one text.

    What it holds back or leaves isn't among it: who is only named there isn't on stage.
    """
    parts = [plan.title, plan.purpose, plan.choice, plan.stakes, plan.ending]
    for scene in plan.scenes:
        parts += [scene.where, scene.when, *scene.who, scene.want, scene.turn, scene.leaves]
    parts += [f"{clue.what} {clue.inside}" for clue in plan.clues]
    parts += [step.how for step in plan.hooks]
    parts += [*plan.keep, *plan.new, *plan.new_terms, *plan.details, *plan.cast]
    return "\n".join(part for part in parts if part)


def fit_plan(plan: Plan, limit: int, estimate: Callable[[str], int]) -> tuple[Plan, int]:
    """The plan within ``limit`` tokens, and how many of its entries were left out.

    Lists lose their last entries, then texts their ends.
    """
    cut = 0
    for name in _LISTS:
        while getattr(plan, name) and _size(plan, estimate) > limit:
            plan = plan.model_copy(update={name: getattr(plan, name)[:-1]})
            cut += 1
    if _size(plan, estimate) <= limit:
        return plan, cut
    cut += len(plan.scenes[SCENES:]) + len(plan.cast[PRESENT:])
    share = max(40, limit // (len(_TEXTS) + 3 * max(1, len(plan.scenes[:SCENES]))))
    texts = {name: fit_text(getattr(plan, name), share, estimate)[0] for name in _TEXTS}
    scenes = [
        scene.model_copy(
            update={
                "who": scene.who[:PRESENT],
                **{
                    name: fit_text(getattr(scene, name), share, estimate)[0]
                    for name in ("where", "when", "want", "turn", "leaves")
                },
            }
        )
        for scene in plan.scenes[:SCENES]
    ]
    update = {**texts, "scenes": scenes, "cast": plan.cast[:PRESENT]}
    return plan.model_copy(update=update), cut + 1


def _size(plan: Plan, estimate: Callable[[str], int]) -> int:
    return estimate("\n".join([said(plan), *plan.hold_back, *plan.leave]))
