"""JSON schemas for replies: strict for every endpoint, and bounded for small models."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

STRING_BUDGET = 1_000
"""Characters that all strings of a small reply together may take: about 250 English tokens."""
SHORTEST, LONGEST = 16, 160
"""Bounds of the length of one string in a small reply, in characters."""
LIST_OF_OBJECTS = (1, 2)
LIST_OF_STRINGS = (1, 2)
LARGEST_NUMBER = 9_999

_KEPT = ("type", "enum", "const", "anyOf", "properties", "items", "minItems", "maxItems")


def wire_schema(
    wanted: type[BaseModel], small: bool, items: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The JSON schema to send along for a reply of class ``wanted``.

    Every field is required, no other is allowed, references are resolved, and defaults, titles and
    descriptions are left out: what strict modes demand. ``items`` fixes the number of items of
    top-level lists by field name. With ``small``, lists and strings are bounded so that a model
    that is tied to the grammar ends its reply within about 700 tokens (measured: 150 to 650); the
    deeper a string is nested, the shorter it must be.
    """
    raw = _described(wanted)
    schema = _strict(raw, raw.get("$defs", {}))
    for name, count in (items or {}).items():
        schema["properties"][name] |= {"minItems": count, "maxItems": count}
    if small:
        _bound_lists(schema)
        unit = STRING_BUDGET / max(1.0, _weigh(schema, 0))
        _bound_values(schema, 0, lambda depth: _length(unit, depth))
    return schema


@cache
def _described(wanted: type[BaseModel]) -> dict[str, Any]:
    """Pydantic's schema, of which ``_strict`` makes another one."""
    return wanted.model_json_schema()


def _strict(node: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _strict(defs[node["$ref"].rsplit("/", 1)[-1]], defs)
    out = {key: node[key] for key in _KEPT if key in node}
    if "anyOf" in out:
        out["anyOf"] = [_strict(option, defs) for option in out["anyOf"]]
    if "items" in out:
        out["items"] = _strict(out["items"], defs)
    if "properties" in out:
        out["properties"] = {n: _strict(p, defs) for n, p in out["properties"].items()}
        out["required"] = list(out["properties"])
        out["additionalProperties"] = False
    return out


def _bound_lists(node: dict[str, Any]) -> None:
    for child in node.get("properties", {}).values():
        _bound_lists(child)
    if "items" in node:
        of_objects = node["items"].get("type") == "object"
        least, most = LIST_OF_OBJECTS if of_objects else LIST_OF_STRINGS
        node.setdefault("minItems", least)
        node.setdefault("maxItems", most)
        _bound_lists(node["items"])


def _weight(depth: int) -> float:
    return 3.0 / (1 + depth)


def _length(unit: float, depth: int) -> int:
    return int(min(LONGEST, max(SHORTEST, unit * _weight(depth))))


def _weigh(node: dict[str, Any], depth: int) -> float:
    """The weights of all strings that the longest reply has."""
    if "items" in node:
        return float(node["maxItems"]) * _weigh(node["items"], depth + 1)
    if "properties" in node:
        return sum(_weigh(child, depth) for child in node["properties"].values())
    return _weight(depth) if _free_text(node) else 0.0


def _bound_values(node: dict[str, Any], depth: int, length: Callable[[int], int]) -> None:
    for child in node.get("properties", {}).values():
        _bound_values(child, depth, length)
    if "items" in node:
        _bound_values(node["items"], depth + 1, length)
    if _free_text(node):
        node |= {"minLength": 1, "maxLength": length(depth)}
    if node.get("type") == "integer":
        node |= {"minimum": 0, "maximum": LARGEST_NUMBER}


def _free_text(node: dict[str, Any]) -> bool:
    return node.get("type") == "string" and "enum" not in node
