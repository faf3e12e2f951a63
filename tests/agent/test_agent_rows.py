"""docs/agent.md: each row of the behaviours has its place and its test, and all rows are there."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
DOC = (REPO / "docs" / "agent.md").read_text("utf-8")
ROWS = re.findall(r"^\| (B\d\d) \| (.+?) \| `([\w/.]+)` \| `([\w.]+)` \|$", DOC, re.M)
WANTED = [f"B{n:02}" for n in (*range(1, 41), *range(50, 55), 69, 90, 91, 92)]


def test_no_row_is_missing_or_told_twice() -> None:
    named = [row for row, *_ in ROWS]
    assert sorted(set(named)) == sorted(named)
    assert set(WANTED) <= set(named)


@pytest.mark.parametrize("row", ROWS, ids=[row for row, *_ in ROWS])
def test_a_row_names_its_module_and_a_test_of_its_name(row: tuple[str, str, str, str]) -> None:
    name, _, place, test = row
    assert (REPO / "zencli" / "agent" / place).is_file()
    text = (REPO / "tests" / "agent" / test).read_text("utf-8")
    assert f"def test_{name}_" in text


def test_the_stop_reasons_are_those_of_the_program() -> None:
    from typing import get_args

    from zencli.agent.limits import StopReason

    section = DOC[DOC.index("### How a turn ends") : DOC.index("## How it runs")]
    told = re.findall(r"`([a-z_]+)`", "\n".join(re.findall(r"^\| (`.+?) \|", section, re.M)))
    assert set(told) - {"stop_reason"} == set(get_args(StopReason))
