"""Every exit code that a script may rely on, and what is kept when a command ends with it."""

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import KEY, Answer, Endpoint, Shell, refuses, tree, wait_for
from scripts import Script

from zencli.llm.scripted import Step
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock

BOOK = "by-the-board"
EN = Script("en")


def finding(severity: str, quote: str) -> dict[str, Any]:
    return {
        "dimension": "thread",
        "severity": severity,
        "problem": "The level is read before the gauge is up.",
        "quote": quote,
        "fix": "Read it after.",
        "scope": "local",
    }


def audit_reply(severity: str, quote: str) -> Step:
    return Step("audit", json.dumps({"findings": [finding(severity, quote)]}))


def quoted(number: int) -> str:
    """A sentence of a chapter's draft that stands there once."""
    text = EN.read(f"{number:04d}.write.txt")
    return next(p for p in text.split("\n\n") if len(p) > 60 and text.count(p) == 1)


def prose(book: Shell, number: int) -> str:
    return (book.root / "books" / BOOK / "chapters" / f"{number:04d}.md").read_text("utf-8")


def test_0_done(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*EN.chapter(3))
    result = book("write-next", "--json")
    assert result.code == 0
    assert result.json()["data"]["chapters"][0]["number"] == 3


def test_0_nothing_to_revise(chinese_book: Shell, endpoint: Endpoint) -> None:
    result = chinese_book("revise", "2", "--json")
    data = result.json()["data"]
    assert (result.code, data["applied"], data["findings_before"]) == (0, False, 0)
    assert "Nothing to do" in data["reason"]
    assert endpoint.bodies == []


def test_0_nothing_left_to_write(book: Shell, endpoint: Endpoint) -> None:
    result = book("write-next", "--until", "2", "--json")
    assert (result.code, result.json()["data"]["chapters"]) == (0, [])
    assert "exists already" in result.json()["warnings"][0]
    assert endpoint.bodies == []


def test_2_a_finished_book_is_not_written_on(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*EN.chapter(3))
    assert book("write-next").code == 0
    after = book("write-next", "--json")
    assert (after.code, after.json()["error"]["code"]) == (2, "usage.finished")


@pytest.mark.parametrize(
    ("severity", "fail_on", "code"),
    [
        ("critical", "critical", 3),
        ("warning", "critical", 0),
        ("warning", "warning", 3),
        ("critical", "never", 0),
    ],
)
def test_3_an_audit_at_or_above_fail_on(
    severity: str, fail_on: str, code: int, book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(audit_reply(severity, quoted(1)))
    result = book("audit", "1", "--fail-on", fail_on, "--json")
    told = result.json()
    assert result.code == code
    assert (told["error"] or {"code": None})["code"] == ("audit.failed" if code else None)
    (chapter,) = told["data"]["chapters"]
    assert [f["severity"] for f in chapter["findings"] if f["source"] == "auditor"] == [severity]
    assert chapter["verdict"] == ("failed" if severity == "critical" else "passed")


def test_3_a_chapter_that_ended_failed_is_kept(book: Shell, endpoint: Endpoint) -> None:
    plan, write, *_ = EN.chapter(3)
    settle = EN.chapter(3)[-1]
    endpoint.play(plan, write, audit_reply("critical", quoted(3)), settle)
    result = book("write-next", "--rounds", "0", "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (3, "audit.failed")
    assert told["data"]["chapters"][0]["status"] == "failed"
    assert quoted(3) in prose(book, 3)


def test_3_a_revision_that_is_not_kept(book: Shell, endpoint: Endpoint) -> None:
    before = prose(book, 2)
    endpoint.play(audit_reply("warning", quoted(2)))
    assert book("audit", "2").code == 0
    endpoint.play(Step("spot_fix", '{"patches": [], "note": "Nothing local helps."}'))
    result = book("revise", "2", "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (3, "revise.rejected")
    assert told["data"]["applied"] is False
    assert prose(book, 2) == before


@pytest.mark.parametrize("words", [["-i", "Shorter."], ["--mode", "polish"]])
def test_3_a_revision_as_asked_that_changes_nothing(
    words: list[str], chinese_book: Shell, endpoint: Endpoint
) -> None:
    chapter = next(p for p in (chinese_book.root / "books").glob("*/chapters/0002.md"))
    text = chapter.read_text("utf-8").partition("\n\n")[2].strip()
    whole = "--mode" in words
    endpoint.play(Step("polish", text) if whole else Step("spot_fix", '{"patches": []}'))
    result = chinese_book("revise", "2", *words, "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (3, "revise.rejected")
    assert (told["data"]["findings_before"], told["data"]["applied"]) == (0, False)


def test_4_an_approved_chapter_is_not_replaced_unasked(book: Shell, endpoint: Endpoint) -> None:
    assert book("approve", "2").code == 0
    before = tree(book.root, machine=False)
    result = book("write-next", "--chapter", "2", "--json")
    assert (result.code, result.json()["error"]["code"]) == (4, "chapter.approved")
    assert "--yes" in result.json()["error"]["hint"]
    assert tree(book.root, machine=False) == before
    assert endpoint.bodies == []
    endpoint.play(*EN.chapter(2))
    assert book("write-next", "--chapter", "2", "--yes").code in (0, 3)
    assert len(endpoint.bodies) >= 4


def test_4_an_approved_chapter_is_not_revised_unasked(book: Shell, endpoint: Endpoint) -> None:
    assert book("approve", "2").code == 0
    told = refuses(book, ["revise", "2", "-i", "Shorter."], "chapter.approved", 4, "approved")
    assert "--yes" in told.err
    assert endpoint.bodies == []
    new = prose(book, 2).replace("“For life, was it?”", "“For life?”")
    patch = {"finding": 1, "old": "“For life, was it?”", "new": "“For life?”"}
    endpoint.play(Step("spot_fix", json.dumps({"patches": [patch], "note": ""})))
    endpoint.play(EN.chapter(2)[-1])
    assert book("revise", "2", "-i", "Shorter.", "--yes").code == 0
    assert prose(book, 2) == new


def test_5_an_endpoint_that_refuses_a_request_is_not_asked_again(
    book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(Answer("Content Exists Risk", status=400))
    result = book("write-next", "--json")
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.refused")
    assert "Content Exists Risk" in result.json()["error"]["message"]
    assert len(endpoint.bodies) == 1


def test_5_a_range_that_breaks_off_tells_of_the_chapters_judged(
    book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(audit_reply("critical", quoted(1)), Answer("gone", status=404))
    result = book("audit", "--chapters", "1-2", "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (5, "llm.endpoint")
    assert [(c["number"], c["verdict"]) for c in told["data"]["chapters"]] == [(1, "failed")]


def test_5_an_audit_that_cannot_be_read(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(Answer("I liked it very much."), Answer("Truly, I did."))
    result = book("audit", "1", "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (5, "audit.unknown")
    assert told["data"]["chapters"][0]["verdict"] == "unknown"


def test_5_a_plan_that_cannot_be_read_is_asked_for_twice(book: Shell, endpoint: Endpoint) -> None:
    before = tree(book.root, machine=False)
    endpoint.play(Answer("No plan."), Answer("No plan either."))
    result = book("write-next", "--json")
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.reply")
    assert len(endpoint.bodies) == 2
    assert tree(book.root, machine=False) == before


def test_5_an_empty_account(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(Answer("Insufficient Balance", status=402))
    result = book("write-next", "--json")
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.quota")
    assert len(endpoint.bodies) == 1


def test_5_an_endpoint_that_falls_silent(book: Shell, endpoint: Endpoint) -> None:
    plan, write, *rest = EN.chapter(3)
    endpoint.play(plan, Answer(write.text, hold=True))
    result = book("write-next", "--timeout", "3", "--json")
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.timeout")
    assert not (book.root / "books" / BOOK / "chapters" / "0003.md").exists()
    endpoint.play(write, *rest)
    assert book("write-next").code == 0
    assert endpoint.finished == len(EN.chapter(3))


def test_5_a_later_chapter_that_fails_keeps_those_before_it(
    book: Shell, endpoint: Endpoint
) -> None:
    config = book.root / "books" / BOOK / "book.toml"
    text = config.read_text("utf-8").replace("target_chapters = 3", "target_chapters = 4")
    config.write_text(text)
    endpoint.play(*EN.chapter(3), Answer("gone", status=404))
    result = book("write-next", "--count", "2", "--json")
    told = result.json()
    assert (result.code, told["error"]["code"]) == (5, "llm.endpoint")
    assert [c["number"] for c in told["data"]["chapters"]] == [3]
    assert told["usage"]["calls"] == len(EN.chapter(3))
    assert (book.root / told["data"]["chapters"][0]["path"]).is_file()


def test_6_a_budget_stops_before_the_call_that_would_pass_it(
    book: Shell, endpoint: Endpoint
) -> None:
    before = tree(book.root, machine=False)
    result = book("write-next", "--max-tokens", "100", "--json")
    assert (result.code, result.json()["error"]["code"]) == (6, "budget.tokens")
    none = book("write-next", "--max-tokens", "0", "--json")
    assert (none.code, none.json()["error"]["code"]) == (6, "budget.tokens")
    cost = book("write-next", "--max-cost", "0", "--json")
    assert (cost.code, cost.json()["error"]["code"]) == (6, "budget.cost")
    assert endpoint.bodies == []
    assert tree(book.root, machine=False) == before


def test_6_a_budget_from_the_book_is_kept_and_nothing_is_paid_twice(
    book: Shell, endpoint: Endpoint
) -> None:
    total = book("status", "--cost", "--json").json()["data"]["cost"]["total"]
    before = total["input_tokens"] + total["output_tokens"]
    (book.root / "zencli.toml").write_text(f"[budget]\nmax_tokens = {before + 40_000}\n")
    endpoint.play(*EN.chapter(3))
    stopped = book("write-next", "--json")
    assert (stopped.code, stopped.json()["error"]["code"]) == (6, "budget.tokens")
    paid = len(endpoint.bodies)
    assert 0 < paid < len(EN.chapter(3))
    used = stopped.json()["usage"]
    assert used["input_tokens"] + used["output_tokens"] <= 40_000
    (book.root / "zencli.toml").unlink()
    on = book("write-next", "--json")
    assert on.code == 0
    assert len(endpoint.bodies) == len(EN.chapter(3))
    assert on.json()["usage"]["calls"] == len(EN.chapter(3)) - paid


@pytest.mark.parametrize("verb", ["write-next", "audit", "revise", "approve", "unapprove"])
def test_7_a_busy_book_says_who_holds_it(verb: str, book: Shell, endpoint: Endpoint) -> None:
    more = ["1"] if verb.endswith("approve") else []
    with book_lock(BookDir(book.root / "books" / BOOK), "write-next"):
        before = tree(book.root)
        result = book(verb, BOOK, *more, "--json")
        assert tree(book.root) == before
    assert (result.code, result.json()["error"]["code"]) == (7, "book.busy")
    assert "held by write-next (pid" in result.json()["error"]["message"]
    assert endpoint.bodies == []


def test_7_a_busy_book_can_be_read_and_waited_for(book: Shell) -> None:
    with book_lock(BookDir(book.root / "books" / BOOK), "write-next"):
        assert book("status").code == 0
        assert book("export", "--output", "x.txt").code == 0
        waiting = book.start("approve", BOOK, "1", "--wait")
        time.sleep(1)
        assert waiting.poll() is None
    out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, err) == (0, b"")
    assert b"approved" in out


def test_8_a_damaged_record(book: Shell) -> None:
    (book.root / "books" / BOOK / "records" / "0002.json").write_bytes(b"\x00\xff")
    for verb in ("status", "write-next", "audit", "revise", "export"):
        result = book(verb, "--json")
        assert (result.code, result.json()["error"]["code"]) == (8, "book.damaged"), verb


def test_130_an_interrupted_chapter_is_resumed_and_nothing_is_paid_twice(
    shell: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*EN.opening())
    begun = shell("init-book", BOOK, "-i", EN.brief, "--language", "en", "--target-chapters", "3",
                  "--chapter-words", "1500", "--json").json()  # fmt: skip
    assert begun["ok"]
    second = EN.chapter(2)
    endpoint.play(*EN.chapter(1), second[0], Answer(second[1].text, hold=True))
    running = shell.start("write-next", "--count", "2", "--json")
    wait_for(endpoint.holding)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)

    told = json.loads(out)
    assert running.returncode == told["exit_code"] == 130
    assert told["error"]["code"] == "interrupted"
    assert [c["number"] for c in told["data"]["chapters"]] == [1]
    assert told["usage"]["calls"] == len(EN.chapter(1)) + 1
    assert b"Traceback" not in err
    folder = shell.root / "books" / BOOK
    assert sorted(p.name for p in folder.glob("chapters/*")) == ["0001.md"]
    (partial,) = folder.glob(".zencli/runs/*/*.partial.md")
    assert second[1].text.startswith(partial.read_text("utf-8")[:200])

    finished = endpoint.finished
    endpoint.play(*second[1:])
    resumed = shell("write-next", "--json")
    assert resumed.code == 0, resumed.err
    assert "read back from an interrupted run" in resumed.err
    assert resumed.json()["data"]["chapters"][0]["number"] == 2
    assert resumed.json()["usage"]["calls"] == len(second) - 1
    assert endpoint.finished - finished == len(second) - 1
    assert endpoint.answers == []
    assert KEY.encode() not in out + err


@pytest.mark.skipif(sys.platform == "win32", reason="ends a process at once there")
def test_130_a_terminated_command_ends_like_an_interrupted_one(
    book: Shell, endpoint: Endpoint
) -> None:
    plan, write, *rest = EN.chapter(3)
    endpoint.play(plan, Answer(write.text, hold=True))
    running = book.start("write-next", "--json")
    wait_for(endpoint.holding)
    running.terminate()
    out, err = running.communicate(timeout=60)

    told = json.loads(out)
    assert running.returncode == told["exit_code"] == 130
    assert told["error"]["code"] == "interrupted"
    assert b"Traceback" not in err
    folder = book.root / "books" / BOOK
    assert sorted(p.name for p in folder.glob("chapters/*")) == ["0001.md", "0002.md"]
    run = max(folder.glob(".zencli/runs/*write-next*"))
    assert json.loads((run / "outcome.json").read_text("utf-8"))["outcome"] == "interrupted"
    endpoint.play(write, *rest)
    assert book("write-next").code == 0, "the lock is free and the plan isn't paid for again"
    assert endpoint.answers == []


def test_fresh_pays_again(book: Shell, endpoint: Endpoint) -> None:
    plan, *rest = EN.chapter(3)
    endpoint.play(plan, Answer("gone", status=404))
    assert book("write-next").code == 5
    endpoint.play(plan, *rest)
    assert book("write-next", "--fresh").code == 0
    assert endpoint.finished == 1 + len(EN.chapter(3))


def test_a_killed_run_leaves_a_book_that_goes_on(book: Shell, endpoint: Endpoint) -> None:
    plan, write, *rest = EN.chapter(3)
    endpoint.play(plan, Answer(write.text, hold=True))
    before = tree(book.root / "books" / BOOK / "chapters")
    running = book.start("write-next")
    wait_for(endpoint.holding)
    running.kill()
    running.communicate(timeout=60)
    assert tree(book.root / "books" / BOOK / "chapters") == before
    endpoint.play(write, *rest)
    assert book("write-next").code == 0
    assert endpoint.finished == len(EN.chapter(3))


def test_paths_in_the_result_are_there(book: Shell) -> None:
    data = book("audit", "2", "--no-llm", "--fail-on", "never", "--json").json()["data"]
    assert Path(book.root, data["chapters"][0]["path"]).is_file()
