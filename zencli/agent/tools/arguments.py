"""The arguments of a call: a string that a model wrote, read and checked against the schema."""

import json
from typing import Any

from zencli.agent.tools.refusal import ToolRefused
from zencli.llm.reading import read_object

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def read_arguments(said: str) -> dict[str, Any]:
    """The object that ``said`` holds: read as JSON, or else repaired.

    Raises ToolRefused ``invalid_arguments`` when there is none, or it is cut off.
    """
    if not said.strip():
        return {}
    if not said.rstrip().endswith(("}", "```", "｝")):
        raise _invalid("the arguments are cut off: they must be one JSON object", {})
    found = read_object(said)
    if found is None:
        raise _invalid("the arguments aren't one JSON object", {})
    return found


def checked(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the schema wants them.

    A null is the same as an absent argument; ``"3"`` for a number, one thing for a list of them and
    JSON within a string are taken as what they mean. Raises ToolRefused ``invalid_arguments`` that
    names the parameter.
    """
    value = _value(arguments, schema, "")
    assert isinstance(value, dict)
    return value


def _invalid(problem: str, schema: dict[str, Any], where: str = "") -> ToolRefused:
    hint = "Give the call again with what it takes."
    if "properties" in schema:
        hint = f"It takes: {', '.join(schema['properties'])}."
    return ToolRefused(
        "invalid_arguments",
        f"{where}: {problem}." if where else f"{problem[0].upper()}{problem[1:]}.",
        hint,
        data={"parameter": where},
    )


def _value(value: Any, schema: dict[str, Any], where: str) -> Any:
    if "anyOf" in schema:
        allowed = [option["const"] for option in schema["anyOf"]]
        return _one_of(value, allowed, where)
    value = _meant(value, schema)
    kind = schema["type"]
    right = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not right:
        raise _invalid(f"must be {_NAMES[kind]}", {}, where)
    if "enum" in schema:
        return _one_of(value, schema["enum"], where)
    if kind == "object":
        return _object(value, schema, where)
    if kind == "array":
        _check_size(len(value), schema, ("minItems", "maxItems"), "items", where)
        return [_value(item, schema["items"], f"{where}[{at}]") for at, item in enumerate(value)]
    if kind == "string":
        _check_size(len(value), schema, ("minLength", "maxLength"), "characters", where)
    elif kind != "boolean":
        _check_size(value, schema, ("minimum", "maximum"), "", where)
    return value


def _object(value: dict[str, Any], schema: dict[str, Any], where: str) -> dict[str, Any]:
    if "properties" not in schema:
        return value
    inside = f"{where}." if where else ""
    given = {name: item for name, item in value.items() if item is not None}
    for name in given:
        if name not in schema["properties"]:
            raise _invalid("there is no such parameter", schema, f"{inside}{name}")
    for name in schema.get("required", ()):
        if name not in given:
            raise _invalid("is missing", schema, f"{inside}{name}")
    return {
        name: _value(item, schema["properties"][name], f"{inside}{name}")
        for name, item in given.items()
    }


def _meant(value: Any, schema: dict[str, Any]) -> Any:
    """What a value of the wrong type plainly means, else the value."""
    kind = schema["type"]
    if isinstance(value, float) and kind == "integer" and value.is_integer():
        return int(value)
    if isinstance(value, int | float) and kind == "string" and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        wrapped = kind == "array" and isinstance(value, dict)
        return [value] if wrapped and schema["items"]["type"] == "object" else value
    if kind in ("array", "object", "integer", "number", "boolean"):
        try:
            inner = json.loads(value.lower() if kind == "boolean" else value, strict=False)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, _TYPES[kind]):
            return inner
    if kind == "array" and schema["items"]["type"] == "string" and value.strip():
        return [value]
    return value


def _one_of(value: Any, allowed: list[Any], where: str) -> Any:
    if value in allowed and isinstance(value, str):
        return value
    raise _invalid(f"must be one of {', '.join(map(str, allowed))}", {}, where)


def _check_size(
    size: float, schema: dict[str, Any], names: tuple[str, str], unit: str, where: str
) -> None:
    least, most = (schema.get(name) for name in names)
    if least is not None and size < least:
        raise _invalid(f"must be {least} {unit}".rstrip() + " or more", {}, where)
    if most is not None and size > most:
        raise _invalid(f"must be {most} {unit}".rstrip() + " at most", {}, where)
