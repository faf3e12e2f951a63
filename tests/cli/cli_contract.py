"""What ``cli-contract.md`` promises about the JSON object of every command."""

import json
from typing import Any

import jsonschema


def check_envelope(envelope: dict[str, Any], out: str, code: int) -> None:
    """Every promise about the object that a command printed as ``out`` before it ended."""
    jsonschema.validate(envelope, ENVELOPE)
    text = json.dumps(envelope, ensure_ascii=False, sort_keys=True)
    assert list(envelope) == sorted(envelope)
    assert json.loads(out) == json.loads(text)
    assert _keys(out) == _keys(text), "keys are sorted at every depth"
    assert envelope["exit_code"] == code
    assert envelope["ok"] is (code == 0) is (envelope["error"] is None)


def _keys(text: str) -> list[str]:
    found: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.extend(key for key, _ in pairs)
        return dict(pairs)

    json.loads(text, object_pairs_hook=note)
    return found


_COUNT = {"type": "integer", "minimum": 0}
ENVELOPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "zencli", "command", "ok", "exit_code", "data", "warnings", "error", "usage",
    ],
    "properties": {
        "zencli": {"const": 1},
        "command": {"type": "string"},
        "ok": {"type": "boolean"},
        "exit_code": {"enum": [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]},
        "data": {"type": "object"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "error": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["code", "message", "hint"],
                    "properties": {
                        "code": {"type": "string", "pattern": r"^[a-z_]+(\.[a-z_]+)?$"},
                        "message": {"type": "string", "minLength": 10},
                        "hint": {"type": "string"},
                    },
                },
            ]
        },
        "usage": {
            "type": "object",
            "additionalProperties": False,
            "required": ["calls", "input_tokens", "cached_tokens", "output_tokens", "cost"],
            "properties": {
                "calls": _COUNT,
                "input_tokens": _COUNT,
                "cached_tokens": _COUNT,
                "output_tokens": _COUNT,
                "cost": {"type": ["number", "null"]},
            },
        },
    },
}  # fmt: skip
SCHEMAS = (
    "init-book", "write-next", "audit", "revise", "export", "approve", "unapprove",
    "undo", "history", "restore", "sync", "doctor", "repair", "import", "list", "status",
    "trace",
    "style learn", "style show",
)  # fmt: skip
