"""What happens after an agent's run: the table of cases."""

from typing import Any

import pytest

from zencli.agent.decision import End, HandOn, Repeat, Situation, Step, next_step

W, P, H, R = "writer", "planner", "hook_designer", "quality_reviewer"

CASES: list[tuple[str, dict[str, Any], Step]] = [
    ("a writer with nothing ahead is done", {"agent": W}, End("finished")),
    (
        "a planned agent follows",
        {"agent": P, "plan": (H, W)},
        HandOn(H, "planned", (W,)),
    ),
    (
        "explicit beats planned and cuts the plan up to it",
        {"agent": P, "plan": (H, W), "handoff": W},
        HandOn(W, "explicit"),
    ),
    (
        "explicit to one who isn't planned keeps the plan",
        {"agent": W, "plan": (R,), "handoff": P},
        HandOn(P, "explicit", (R,)),
    ),
    ("to itself stops", {"agent": W, "handoff": W}, End("invalid_handoff")),
    (
        "an empty file comes first, whatever was asked",
        {"agent": W, "empty_file": True, "question": "好吗？", "handoff": P},
        Repeat("fill"),
    ),
    (
        "the third time it isn't filled",
        {"agent": W, "empty_file": True, "fills": 2},
        End("finished"),
    ),
    ("a body and no word goes on", {"agent": W, "only_file": True}, Repeat("continue")),
    (
        "going on comes before the review",
        {"agent": W, "only_file": True, "words": 900},
        Repeat("continue"),
    ),
    (
        "a handoff ends going on",
        {"agent": W, "only_file": True, "handoff": P},
        HandOn(P, "explicit"),
    ),
    ("a plan in the chat is written down", {"agent": P, "chat_plan": True}, Repeat("outline")),
    (
        "but once only",
        {"agent": P, "chat_plan": True, "outlined": True, "plan": (W,)},
        HandOn(W, "planned"),
    ),
    (
        "a question stops the plan",
        {"agent": P, "plan": (W,), "question": "哪个？"},
        End("question"),
    ),
    (
        "a handoff of the same run waits for the answer",
        {"agent": W, "question": "哪个？", "handoff": P},
        End("question", held=P),
    ),
    (
        "a planner's question doesn't stop prose that is wanted",
        {"agent": P, "plan": (H, W), "question": "哪个？", "write_content": True},
        HandOn(W, "planned", no_questions=True),
    ),
    (
        "nobody said that prose is wanted: it stops",
        {"agent": P, "plan": (W,), "question": "哪个？", "write_content": None},
        End("question"),
    ),
    (
        "500 words are reviewed",
        {"agent": W, "words": 500},
        HandOn(R, "review"),
    ),
    ("499 aren't", {"agent": W, "words": 499}, End("finished")),
    ("review on: any word", {"agent": W, "words": 1, "review": "on"}, HandOn(R, "review")),
    ("review on: nothing written", {"agent": W, "words": 0, "review": "on"}, End("finished")),
    ("review off", {"agent": W, "words": 9000, "review": "off"}, End("finished")),
    (
        "the gate doesn't mind a question",
        {"agent": W, "words": 900, "question": "接着写吗？"},
        HandOn(R, "review"),
    ),
    (
        "only the writer's work passes the gate",
        {"agent": P, "words": 900, "plan": (W,)},
        HandOn(W, "planned"),
    ),
    (
        "the reviewer hands back",
        {"agent": R, "words": 900, "handoff": W, "reviews": 1},
        HandOn(W, "rework"),
    ),
    (
        "a second rework isn't allowed",
        {"agent": R, "words": 900, "handoff": W, "reviews": 2, "reworks": 1},
        End("finished", blocked=W),
    ),
    (
        "a rework isn't reviewed",
        {"agent": W, "words": 900, "reviews": 1, "reworks": 1},
        End("finished"),
    ),
    (
        "not even when the writer asks for it",
        {"agent": W, "words": 900, "reviews": 1, "reworks": 1, "handoff": R},
        End("finished", blocked=R),
    ),
    (
        "two rounds of review are the most",
        {"agent": W, "words": 900, "reviews": 2},
        End("finished"),
    ),
    (
        "read-only: nobody who writes is called in",
        {"agent": W, "read_only": "router", "handoff": P},
        End("finished", blocked=P),
    ),
    (
        "read-only: the reviewer may be",
        {"agent": W, "read_only": "author", "handoff": R},
        HandOn(R, "review"),
    ),
    ("who has said nothing yet answers", {"agent": W, "silent": True}, Repeat("report")),
    ("once", {"agent": W, "silent": True, "reported": True}, End("finished")),
    (
        "also when the handoff that it made isn't allowed",
        {"agent": R, "words": 900, "handoff": W, "reviews": 2, "reworks": 1, "silent": True},
        Repeat("report"),
    ),
    (
        "somebody else may still speak",
        {"agent": P, "silent": True, "plan": (W,)},
        HandOn(W, "planned"),
    ),
    (
        "a vague request ends with its question, its handoff dropped",
        {"agent": W, "clarify_first": True, "handoff": P},
        End("question"),
    ),
]


@pytest.mark.parametrize(("name", "given", "wanted"), CASES, ids=[name for name, _, _ in CASES])
def test_B11_the_decision_after_a_run(name: str, given: dict[str, Any], wanted: Step) -> None:
    assert next_step(Situation(**given)) == wanted
