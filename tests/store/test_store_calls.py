"""The calls of a book: added one by one, never lost, read in spite of a torn line."""

from pathlib import Path

import pytest

from zencli.errors import DamagedError, UsageError
from zencli.store.calls import Call, CallFile


def call(number: int, **changes: object) -> Call:
    """The call ``number`` of a run."""
    usual = Call(
        time="2026-11-30T12:00:00+00:00",
        run="20261130T120000.000001Z-write-next",
        verb="write-next",
        chapter=3,
        role="writer",
        step="write",
        model="浪",
        input=1000 + number,
        cached=700,
        output=300,
        reasoning=20,
        seconds=1.5,
        cost=None,
        recalled=False,
        outcome="ok",
        digest=f"{number:016x}",
    )
    return usual._replace(**changes)  # type: ignore[arg-type]


def test_calls_come_back_in_their_order(tmp_path: Path) -> None:
    calls = [call(1), call(2, chapter=None, cost=0.25), call(3, recalled=True)]
    for each in calls:
        CallFile(tmp_path / "calls.jsonl").add(each)
    assert CallFile(tmp_path / "calls.jsonl").read() == calls


def test_without_the_file_there_are_no_calls(tmp_path: Path) -> None:
    assert CallFile(tmp_path / "no" / "calls.jsonl").read() == []


@pytest.mark.parametrize("torn", [b"{", b'{"time":"2026', b"\xe6\xb5", b'"x"\n', b"[1]\n", b"{}\n"])
def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "calls.jsonl"
    CallFile(path).add(call(1))
    with path.open("ab") as file:
        file.write(torn)
    CallFile(path).add(call(2))
    assert CallFile(path).read() == [call(1), call(2)]


def test_a_rejected_reply_is_told_of_the_latest_call_that_got_it(tmp_path: Path) -> None:
    calls = CallFile(tmp_path / "calls.jsonl")
    for each in (call(1), call(2), call(1)):
        calls.add(each)
    calls.reject(call(1).run, call(1).digest)
    assert [c.outcome for c in calls.read()] == ["ok", "ok", "rejected"]


def test_the_calls_of_some_runs_make_a_file_of_their_own(tmp_path: Path) -> None:
    calls = CallFile(tmp_path / "calls.jsonl")
    for number, run in enumerate(("a", "b", "a", "c")):
        calls.add(call(number, run=run))
    calls.reject("a", call(2).digest)
    (tmp_path / "own.jsonl").write_bytes(calls.of_runs({"a", "c"}))
    kept = CallFile(tmp_path / "own.jsonl").read()
    assert [(c.run, c.outcome) for c in kept] == [("a", "ok"), ("a", "rejected"), ("c", "ok")]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").mkdir()
    with pytest.raises(UsageError) as caught:
        CallFile(tmp_path / "calls.jsonl").add(call(1))
    assert caught.value.code == "usage.not_writable"
    with pytest.raises(DamagedError):
        CallFile(tmp_path / "calls.jsonl").read()
