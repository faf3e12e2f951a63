"""The ``sub_agent`` tool: its JSON schema and its arguments, both from the verbs' declarations."""

from functools import cache
from typing import Any, get_args

from pydantic import ValidationError

from zencli.agent.routing import PLANNING
from zencli.agent.turn import AgentRole
from zencli.errors import UsageError
from zencli.pipeline.params import VERBS, AgentName, Params, meta_of, wire_name
from zencli.story.book import Language


def sub_agent_schema() -> dict[str, Any]:
    """The tool's parameters as JSON Schema.

    One flat object: ``agent``, ``instruction`` and every declared parameter by its camelCase name.
    Enumerated values are constants, and each description names the agents that use the parameter.
    """
    properties: dict[str, Any] = {
        "agent": {
            "anyOf": [{"const": name} for name in get_args(AgentName)],
            "description": "which sub-agent works",
        }
    }
    for name, uses in _uses().items():
        properties[wire_name(name)] = _type_schema(name, [model for _, model in uses])
        properties[wire_name(name)]["description"] = _described(name, uses)
    return {
        "type": "object",
        "properties": properties,
        "required": ["agent", "instruction"],
        "additionalProperties": False,
    }


def parameters_for(role: AgentRole, language: Language) -> str:
    """The parameters of the sub-agents that an agent may call, as lines for its prompt."""
    if role == "quality_reviewer":
        return parameter_lists(language, ("auditor",))
    if role in PLANNING:
        return parameter_lists(language, tuple(name for name in VERBS if name != "writer"))
    return parameter_lists(language)


@cache
def parameter_lists(language: Language, agents: tuple[AgentName, ...] = tuple(VERBS)) -> str:
    """Each agent's parameters as lines for a prompt, generated from the declaration.

    The allowed values and the default stand with the name; the descriptions are in the schema.
    """
    comma, between = ("、", "：") if language == "zh" else (", ", ": ")
    return "\n".join(
        f"- {agent}{between}{comma.join(_parameter(model, name, language) for name in names)}"
        for agent, model, names in _usable()
        if agent in agents
    )


def _usable() -> list[tuple[AgentName, type[Params], list[str]]]:
    """Every agent with the names of the fields it can use, ``instruction`` first."""
    found = []
    for agent, model in VERBS.items():
        names = [n for n, f in model.model_fields.items() if agent in meta_of(f).agents]
        found.append((agent, model, ["instruction", *(n for n in names if n != "instruction")]))
    return found


def _parameter(model: type[Params], name: str, language: Language) -> str:
    told = wire_name(name)
    field = model.model_fields.get(name)
    if field is None or name == "instruction":
        return told
    schema = _type_schema(name, [model])
    values = "|".join(str(option["const"]) for option in schema.get("anyOf", ()))
    default = schema.get("default")
    word = "默认" if language == "zh" else "default"
    standard = "" if default in (None, "", False) else f"{word} {default}"
    notes = "; ".join(note for note in (values, standard) if note)
    return f"{told} ({notes})" if notes else told


def parse_arguments(arguments: dict[str, Any]) -> tuple[AgentName, Params, str]:
    """The agent, its verb's parameters, and the instruction.

    A parameter that the agent can't use, an unknown one, or a value out of range is a
    ``UsageError`` that names it.
    """
    agent = arguments.get("agent")
    if not isinstance(agent, str) or agent not in VERBS:
        allowed = ", ".join(VERBS)
        raise UsageError("usage.agent", f"Unknown agent {agent!r}.", f"Use one of: {allowed}.")
    instruction = arguments.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise UsageError("usage.instruction", "The instruction is missing.", "Say what to do.")
    model = VERBS[agent]
    names = {
        wire_name(name): name for name, field in model.model_fields.items() if meta_of(field).agents
    }
    values: dict[str, Any] = {}
    for wire, value in arguments.items():
        if wire == "agent" or (wire == "instruction" and wire not in names):
            continue
        if wire not in names:
            usable = ", ".join(names)
            raise UsageError(
                "usage.parameter",
                f"The {agent} can't use the parameter {wire}.",
                f"It takes: {usable}.",
            )
        if value is not None:
            values[names[wire]] = value
    try:
        return agent, model.model_validate(values), instruction
    except ValidationError as error:
        first = error.errors()[0]
        where = wire_name(str(first["loc"][0]))
        raise UsageError("usage.parameter", f"{where}: {first['msg']}.") from error


_LIMITS = ("type", "minimum", "maximum", "minLength")


def _uses() -> dict[str, list[tuple[AgentName, type[Params]]]]:
    """Every parameter's name with the agents that use it, ``instruction`` for all of them."""
    uses: dict[str, list[tuple[AgentName, type[Params]]]] = {}
    for agent, model in VERBS.items():
        for name, field in model.model_fields.items():
            if agent in meta_of(field).agents:
                uses.setdefault(name, []).append((agent, model))
    return uses


def _described(name: str, uses: list[tuple[AgentName, type[Params]]]) -> str:
    """Who uses the parameter for what: agents that share a text are named together.

    A default that only some of them have is told here, because the schema can hold one for all.
    """
    by_text: dict[str, list[str]] = {}
    differing = len({model.model_fields[name].default for _, model in uses}) > 1
    for agent, model in uses:
        field = model.model_fields[name]
        told = differing and field.default is not None
        text = f"{field.description} (default {field.default})" if told else field.description or ""
        by_text.setdefault(text, []).append(agent)
    only = " only" if len(uses) == 1 else ""
    return "; ".join(f"{', '.join(agents)}{only}: {text}" for text, agents in by_text.items())


def _type_schema(name: str, models: list[type[Params]]) -> dict[str, Any]:
    full = models[0].model_json_schema()["properties"][name]
    options = [o for o in full.get("anyOf", [full]) if o.get("type") != "null"]
    schema = {key: options[0][key] for key in _LIMITS if key in options[0]}
    if "enum" in options[0]:
        schema = {"anyOf": [{"const": value} for value in options[0]["enum"]]}
    defaults = {model.model_fields[name].default for model in models}
    if len(defaults) == 1 and not defaults & {None, ""}:
        schema["default"] = defaults.pop()
    return schema
