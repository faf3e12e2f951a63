"""docs/agent.md: each row of the behaviours has its place and its test, and all rows are there."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
DOC = (REPO / "docs" / "agent.md").read_text("utf-8")
ROWS = re.findall(r"^\| (B\d\d) \| (.+?) \| `([\w/.]+)` \| `([\w/.]+)` \|$", DOC, re.M)
NUMBERS = (*range(1, 41), *range(50, 55), *range(60, 74), *range(80, 83), *range(90, 93))
WANTED = [f"B{n:02}" for n in NUMBERS]


def test_no_row_is_missing_or_told_twice() -> None:
    named = [row for row, *_ in ROWS]
    assert sorted(set(named)) == sorted(named)
    assert set(WANTED) == set(named)


@pytest.mark.parametrize("row", ROWS, ids=[row for row, *_ in ROWS])
def test_a_row_names_its_module_and_a_test_of_its_name(row: tuple[str, str, str, str]) -> None:
    name, _, place, test = row
    assert any((REPO / "zencli" / part / place).is_file() for part in ("agent", ""))
    files = [REPO / "tests" / part / test for part in ("agent", "")]
    text = next(file for file in files if file.is_file()).read_text("utf-8")
    assert f"def test_{name}_" in text


def test_the_stop_reasons_are_those_of_the_program() -> None:
    from typing import get_args

    from zencli.agent.limits import StopReason

    section = DOC[DOC.index("### How a turn ends") : DOC.index("## How it runs")]
    told = re.findall(r"`([a-z_]+)`", "\n".join(re.findall(r"^\| (`.+?) \|", section, re.M)))
    assert set(told) - {"stop_reason"} == set(get_args(StopReason))


def test_the_settings_are_those_of_the_program_with_their_defaults() -> None:
    from zencli.pipeline.configuration.agent_table import AgentTable
    from zencli.pipeline.configuration.search_table import SearchTable

    section = DOC[DOC.index("### Settings") : DOC.index("### How a turn ends")]
    told = dict(re.findall(r"^\| `(\w+)` \| `?(.+?)`? \|", section, re.M))
    given = {name: field.default for name, field in AgentTable.model_fields.items()}
    for name, default in given.items():
        assert (
            float(told[name]) == default
            if told[name].isdigit()
            else told[name].strip('"') == (str(default).lower())
        )
    assert all(f"`{name}`" in section for name in SearchTable.model_fields)


def test_what_a_client_may_do_is_all_told() -> None:
    from zencli.agent.mcp.offers import offers

    section = DOC[DOC.index("## Other programs' agents") : DOC.index("## How it runs")]
    assert all(f"`{offer.name}`" in section for offer in offers())
