"""What the book has promised its reader."""

from collections.abc import Iterator

from zencli.prose.finding import CheckContext, report
from zencli.story.findings import Finding

_MOST = 5


def hooks_overdue(text: str, context: CheckContext) -> Iterator[Finding]:
    """A hook whose last chapter has passed and with which the plan does nothing: info from
    ``hook-overdue.info`` chapters past it on, warning from ``hook-overdue.warn`` on."""
    late = [h for h in context.standing.overdue if h.id not in context.standing.answered]
    for hook in late[:_MOST]:
        past = context.number - hook.due
        if past < context.limit("hook-overdue.info"):
            continue
        yield report(
            context,
            "hook-overdue",
            "warning" if past >= context.limit("hook-overdue.warn") else "info",
            about=hook.id,
            hook=hook.id,
            promise=hook.promise,
            due=hook.due,
            past=past,
        )
