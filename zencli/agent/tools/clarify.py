"""``request_clarification``: a question to the author, which ends the turn."""

from typing import Any

from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.spec import ToolSpec, arguments, said, text, texts
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn


def request_clarification(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Put a question; the loop stops on the ``clarification`` in the data."""
    question = " ".join(clean(given["question"]).split())
    if not question:
        raise ToolRefused("invalid_arguments", "question: is empty.", "Say what you want to know.")
    options = [" ".join(clean(option).split()) for option in given.get("options", [])]
    return ToolResult(
        data={
            "clarification": {
                "question": question,
                "options": [option for option in options if option],
                "context": clean(given.get("context", "")),
            }
        },
        for_model="The question is put to the author. Say nothing more.",
        for_author=tell(turn, "asks"),
    )


SPEC = ToolSpec(
    name="request_clarification",
    description=said(
        "向作者提一个问题，并停下来等回答。只在缺了这个就没法做对时用；能给选项就给。",
        "Ask the author one question and stop for his answer, when nothing right can be done "
        "without it. Give options where there are some.",
    ),
    parameters=arguments(
        ["question"],
        question=text("问题，一句话", "the question, one sentence", minLength=1, maxLength=500),
        options=texts("两三个选项", "two or three options", maxItems=5),
        context=text("为什么要问", "why you ask", maxLength=1000),
    ),
    permission="control",
    handler=request_clarification,
)
