"""One declaration of parameters: the model, the command line and ``sub_agent`` say the same."""

import re
import subprocess
import sys
import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import pytest
import typer
from pydantic.fields import FieldInfo

from zencli.agent.agent_params import AgentTurn
from zencli.agent.sub_agent import parse_arguments, sub_agent_schema
from zencli.cli.options import command
from zencli.pipeline.accounts.trace_params import Trace
from zencli.pipeline.auditing.waive_params import Waive
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.mending.repair_params import Doctor, Repair
from zencli.pipeline.params import (
    VERBS,
    Approve,
    Audit,
    Export,
    History,
    InitBook,
    Params,
    Restore,
    Revise,
    Undo,
    WriteNext,
    meta_of,
    wire_name,
)

COMMANDS: dict[str, type[Params]] = {
    "agent": AgentTurn,
    "init-book": InitBook,
    "write-next": WriteNext,
    "audit": Audit,
    "revise": Revise,
    "export": Export,
    "approve": Approve,
    "unapprove": Approve,
    "undo": Undo,
    "history": History,
    "restore": Restore,
    "sync": Sync,
    "doctor": Doctor,
    "repair": Repair,
    "import": Import,
    "waive": Waive,
    "trace": Trace,
}
DECLARED = [(verb, name) for verb, model in COMMANDS.items() for name in model.model_fields]
USED = [
    (agent, name)
    for agent, model in VERBS.items()
    for name, field in model.model_fields.items()
    if agent in meta_of(field).agents
]

# The table of cli-contract.md: sub_agent name, spelling, verbs, type or values, default.
CONTRACT: list[tuple[str, str, tuple[str, ...], object, object]] = [
    ("instruction", "--instruction", ("init-book", "write-next", "audit", "revise"), str, ""),
    ("bookId", "BOOK", ("init-book", "write-next", "audit", "revise", "export"), str, None),
    ("title", "--title", ("init-book",), str, ""),
    ("genre", "--genre", ("init-book",), str, "general"),
    ("platform", "--platform", ("init-book",), ("tomato", "qidian", "feilu", "other"), "other"),
    ("language", "--language", ("init-book",), ("zh", "en"), "zh"),
    ("targetChapters", "--target-chapters", ("init-book",), int, 200),
    ("chapterWordCount", "--chapter-words", ("init-book",), int, 3000),
    ("chapterWordCount", "--chapter-words", ("write-next",), int, None),
    ("chapterCount", "--count", ("write-next",), int, 1),
    ("chapterNumber", "CHAPTER", ("audit", "revise"), int, None),
    (
        "mode",
        "--mode",
        ("revise",),
        ("spot-fix", "polish", "rewrite", "rework", "anti-detect"),
        "spot-fix",
    ),
    ("format", "--format", ("export",), ("txt", "md", "epub", "html", "docx"), "txt"),
    ("approvedOnly", "--approved-only", ("export",), bool, False),
]
MORE_OPTIONS = {
    "init-book": ["--brief"],
    "write-next": ["--until", "--chapter", "--no-audit", "--rounds", "--plan-only"],
    "audit": ["--chapters", "--fail-on", "--no-llm", "--report", "--trend"],
    "revise": ["--finding", "--force", "--rounds"],
    "export": [
        "--output", "--chapters", "--volumes", "--strict", "--split", "--encoding", "--line-end",
        "--platform", "--front-matter", "--author", "--publisher", "--description", "--subject",
        "--series", "--series-number", "--rights", "--cover", "--vertical", "--small-caps",
        "--check",
    ],
}  # fmt: skip


def field_of(verb: str, name: str) -> FieldInfo:
    return COMMANDS[verb].model_fields[name]


def kind(annotation: Any) -> Any:
    """A parameter's type without None: str, int, bool, tuple, or its allowed values."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(a for a in get_args(annotation) if a is not type(None))
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return get_origin(annotation) or annotation


def limits(field: FieldInfo) -> dict[str, int]:
    return {
        name: getattr(limit, name)
        for limit in field.metadata
        for name in ("ge", "le", "min_length")
        if hasattr(limit, name)
    }


@cache
def help_of(verb: str) -> list[str]:
    """The entries of the real command's help, each in one line."""
    done = subprocess.run(
        [sys.executable, "-m", "zencli", verb, "--help"], capture_output=True, text=True, check=True
    )
    entries: list[str] = []
    for line in done.stdout.splitlines():
        if re.match(r"  (?=[-A-Z])\S", line):
            entries.append(line.strip())
        elif line.startswith("   ") and entries:
            entries[-1] += " " + line.strip()
    return [" ".join(entry.split()) for entry in entries]


def shown(verb: str, name: str) -> str:
    """The help entry of a parameter."""
    meta = meta_of(field_of(verb, name))
    if not meta.flags:
        return next(e for e in help_of(verb) if e.split()[0] == meta.metavar)
    spelt = ", ".join(sorted(meta.flags, key=len))
    return next(e for e in help_of(verb) if re.match(rf"{re.escape(spelt)}(?= |$)", e))


@pytest.mark.parametrize(("verb", "name"), DECLARED)
def test_the_command_shows_what_was_declared(verb: str, name: str) -> None:
    field, entry = field_of(verb, name), shown(verb, name)
    assert field.description
    assert field.description in entry
    wanted = kind(field.annotation)
    if isinstance(wanted, tuple):
        assert all(re.search(rf"\b{re.escape(value)}\b", entry) for value in wanted)
    bounds = limits(field)
    if "ge" in bounds:
        assert re.search(rf"\b{bounds['ge']}<=x|x>={bounds['ge']}\b", entry)
    if "le" in bounds:
        assert f"x<={bounds['le']}" in entry
    default = re.search(r"\[default: ([^\];]+)", entry)
    if field.default in (None, "", (), False):
        assert default is None
    else:
        assert default is not None
        assert default[1] == str(field.default)


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_command_without_options_gets_the_declared_defaults(verb: str) -> None:
    assert parsed(COMMANDS[verb], []) == COMMANDS[verb]()


def parsed(model: type[Params], arguments: list[str]) -> Params:
    """What the command made of ``model`` hands on."""
    got: list[Params] = []
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(command(model, lambda invocation, params: got.append(params)))
    app(arguments, standalone_mode=False)
    return got[0]


def value_for(field: FieldInfo) -> Any:
    """A value that isn't the default."""
    wanted = kind(field.annotation)
    if isinstance(wanted, tuple):
        return next(v for v in wanted if v != field.default)
    if wanted is bool:
        return not field.default
    if wanted is int:
        return limits(field).get("ge", 0) + 7
    return ("a1", "b2") if wanted is tuple else "bücher-7x"


@pytest.mark.parametrize(("verb", "name"), DECLARED)
def test_every_option_reaches_its_parameter(verb: str, name: str) -> None:
    model, field = COMMANDS[verb], field_of(verb, name)
    meta, value = meta_of(field), value_for(field)
    if not meta.flags:
        words = {
            "book_id": "buch", "chapter_number": 7, "chapters": "3-9",
            "run": "20261130T101500.000001Z-audit", "file": "outline.md", "revision": 7,
            "source": "novel.txt", "message": "@wish.txt", "chapter": "9", "finding": "0a1b2c3d",
        }  # fmt: skip
        placed = [n for n, f in model.model_fields.items() if not meta_of(f).flags]
        arguments = [str(words[n]) for n in placed[: placed.index(name) + 1]]
        assert getattr(parsed(model, arguments), name) == words[name]
        return
    for flag in meta.flags:
        if isinstance(value, tuple):
            arguments = [part for item in value for part in (flag, item)]
        else:
            arguments = [flag] if kind(field.annotation) is bool else [flag, str(value)]
        params = parsed(model, arguments)
        assert getattr(params, name) == value
        assert params.model_copy(update={name: field.default}) == model()


@pytest.mark.parametrize(("agent", "name"), USED)
def test_the_tool_shows_what_was_declared(agent: str, name: str) -> None:
    model = VERBS[agent]  # type: ignore[index]
    field = model.model_fields[name]
    schema = sub_agent_schema()["properties"][wire_name(name)]
    assert field.description in schema["description"]
    assert re.search(rf"\b{agent}\b", schema["description"])
    wanted = kind(field.annotation)
    if isinstance(wanted, tuple):
        assert schema["anyOf"] == [{"const": value} for value in wanted]
    else:
        assert schema["type"] == {str: "string", int: "integer", bool: "boolean"}[wanted]
    bounds = {"minimum": "ge", "maximum": "le", "minLength": "min_length"}
    assert {k: schema[k] for k in bounds if k in schema} == {
        k: limits(field)[v] for k, v in bounds.items() if v in limits(field)
    }
    if field.default not in (None, ""):
        told = f"(default {field.default})"
        assert schema.get("default") == field.default or told in schema["description"]
        assert type(schema.get("default", field.default)) is type(field.default)
    else:
        assert "default" not in schema


def test_a_parameter_of_one_agent_says_only() -> None:
    for name, schema in sub_agent_schema()["properties"].items():
        users = [agent for agent, used in USED if wire_name(used) == name]
        assert (" only:" in schema["description"]) == (len(users) == 1), name


@pytest.mark.parametrize(("agent", "name"), USED)
def test_an_argument_of_the_tool_reaches_its_parameter(agent: str, name: str) -> None:
    model = VERBS[agent]  # type: ignore[index]
    value = value_for(model.model_fields[name])
    arguments = {"agent": agent, "instruction": "do it", wire_name(name): value}
    got_agent, params, instruction = parse_arguments(arguments)
    assert got_agent == agent
    assert getattr(params, name) == value
    assert instruction == arguments["instruction"]
    assert isinstance(params, model)


@pytest.mark.parametrize(("wire", "spelling", "verbs", "wanted", "default"), CONTRACT)
def test_the_contract_is_kept(
    wire: str, spelling: str, verbs: tuple[str, ...], wanted: object, default: object
) -> None:
    for verb in verbs:
        name = next(n for n in COMMANDS[verb].model_fields if wire_name(n) == wire)
        field = field_of(verb, name)
        meta = meta_of(field)
        assert spelling in (meta.flags or (meta.metavar,))
        assert kind(field.annotation) == wanted
        assert field.default == default
        assert meta.agents == (next(a for a, m in VERBS.items() if m is COMMANDS[verb]),)


@pytest.mark.parametrize("verb", MORE_OPTIONS)
def test_what_is_only_on_the_command_line_isnt_in_the_tool(verb: str) -> None:
    flags = {f for field in COMMANDS[verb].model_fields.values() for f in meta_of(field).flags}
    assert set(MORE_OPTIONS[verb]) <= flags
    for field in COMMANDS[verb].model_fields.values():
        if set(meta_of(field).flags) & set(MORE_OPTIONS[verb]):
            assert meta_of(field).agents == ()
