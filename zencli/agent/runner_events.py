"""What verbs and models tell while a turn runs, as events of the turn."""

from zencli.agent.events import AgentEvent, Emit
from zencli.llm.recorded import CallDone
from zencli.pipeline.events import ChapterDone, Event, Listener, Notice, StepStarted, TextPiece


def as_agent_events(emit: Emit) -> Listener:
    """A listener for verbs and model calls that hands on to ``emit``."""

    def listen(event: Event) -> None:
        made = _made(event)
        if made is not None:
            emit(made)

    return listen


def _made(event: Event) -> AgentEvent | None:
    if isinstance(event, CallDone):
        usage = event.usage
        return AgentEvent(
            "usage",
            {
                "role": event.role,
                "model": event.model,
                "calls": usage.calls,
                "input_tokens": usage.input_tokens,
                "cached_tokens": usage.cached_tokens,
                "output_tokens": usage.output_tokens,
                "cost": usage.cost,
                "recalled": event.recalled,
            },
        )
    if isinstance(event, TextPiece):
        return AgentEvent("file_content", {"path": "", "text": event.text})
    if isinstance(event, Notice):
        return AgentEvent("notice", {"code": "note", "text": event.text})
    if isinstance(event, StepStarted):
        place = "" if event.chapter is None else f"chapter {event.chapter}: "
        return AgentEvent("notice", {"code": "step", "text": f"{place}{event.step}"})
    if isinstance(event, ChapterDone):
        text = f"chapter {event.number}: {event.title}, {event.words} {event.unit}, {event.status}"
        return AgentEvent("notice", {"code": "chapter", "text": text})
    return None
