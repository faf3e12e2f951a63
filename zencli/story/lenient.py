"""Reading what a model returned: normalise or drop, never fail on a detail, say what was done."""

import re
import types
from typing import Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, model_validator

_NUMBER = re.compile(r"-?\d+")
_DROP = object()

STORED: dict[str, Any] = {"stored": True}
"""The validation context of data that needs no coercion."""


class Lenient(BaseModel):
    """A model reply whose fields all have defaults.

    Before validation every field is coerced to its declared type (a lone string becomes a list of
    one, a number becomes text, ``"chapter 12"`` becomes 12); what can't be coerced is dropped and
    the default stands. Pass ``context={"warnings": []}`` to ``model_validate`` to learn what was
    dropped, one sentence each; pass ``context=STORED`` for data that this class wrote itself, which
    is then taken as it is, many times faster, and refused when it doesn't fit.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    synonyms: ClassVar[dict[str, str]] = {}
    """Other words for the allowed values of this class's enumerated fields."""

    @model_validator(mode="before")
    @classmethod
    def _coerce_fields(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict) or info.context is STORED:
            return data
        warnings: list[str] = (info.context or {}).get("warnings", [])
        kept: dict[str, Any] = {}
        for name, field in cls.model_fields.items():
            if data.get(name) is None:
                continue
            raw = data[name]
            if isinstance(raw, str) and get_origin(field.annotation) is Literal:
                raw = cls.synonyms.get(raw.strip().lower(), raw)
            value = _coerce(raw, field.annotation, f"{cls.__name__}.{name}", warnings)
            if value is _DROP:
                warnings.append(f"{cls.__name__}.{name}: dropped {_brief(data[name])}")
            else:
                kept[name] = value
        return kept


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _coerce(value: Any, wanted: Any, where: str, warnings: list[str]) -> Any:
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        inner = [arg for arg in get_args(wanted) if arg is not type(None)]
        return _coerce(value, inner[0], where, warnings)
    if origin is Literal:
        return _choice(value, get_args(wanted))
    if origin in (list, tuple):
        return _items(value, get_args(wanted)[0], where, warnings)
    if wanted is str:
        return _text(value)
    if wanted is int:
        return _integer(value)
    if isinstance(wanted, type) and issubclass(wanted, BaseModel):
        return _nested(value, wanted, warnings)
    return value


def _choice(value: Any, allowed: tuple[Any, ...]) -> Any:
    word = str(value).strip().lower()
    return next((option for option in allowed if word == str(option).lower()), _DROP)


def _items(value: Any, wanted: Any, where: str, warnings: list[str]) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    out = []
    for item in values:
        if item is None:
            continue
        coerced = _coerce(item, wanted, where, warnings)
        if coerced is _DROP:
            warnings.append(f"{where}: dropped {_brief(item)}")
        elif coerced != "":
            out.append(coerced)
    return out


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "ignore").decode().strip()  # lone surrogates fit in no file
    if isinstance(value, bool) or value is None:
        return _DROP
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return _text("; ".join(str(p).strip() for p in value if isinstance(p, str | int | float)))
    if isinstance(value, dict):
        return _text("; ".join(p.strip() for p in value.values() if isinstance(p, str)))
    return _DROP


def _integer(value: Any) -> Any:
    if isinstance(value, bool):
        return _DROP
    if isinstance(value, int | float):
        return int(value) if abs(value) < 1e9 else _DROP
    found = _NUMBER.search(str(value))
    return int(found.group()) if found and len(found.group()) <= 9 else _DROP


def _nested(value: Any, wanted: type[BaseModel], warnings: list[str]) -> Any:
    if isinstance(value, wanted):
        return value
    told = next((key for key in ("what", "problem") if key in wanted.model_fields), None)
    if isinstance(value, str) and told:
        value = {told: value}
    if not isinstance(value, dict):
        return _DROP
    try:
        return wanted.model_validate(value, context={"warnings": warnings})
    except ValidationError:
        return _DROP
