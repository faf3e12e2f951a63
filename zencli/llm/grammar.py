"""A JSON schema as a grammar for llguidance: compact JSON, and strings made of ordinary words.

llama.cpp takes it as ``grammar``. A model of 135 million parameters that is held only by a schema
fills its strings with links, markup and white space; held by this, it writes short phrases.
"""

import json
from typing import Any

_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_WORD = r"(\p{Lu}?\p{Ll}{1,13}(['’-]\p{L}\p{Ll}{0,7})?|\p{Lo}{1,14}|[AI]|\p{N}{1,4})"
_BETWEEN = "([,;:.!?]? |[，。；：！？、])"
_END = "[.!?。！？]?"
CHARACTERS_A_WORD = 7
PHRASE = 40
"""A string that may have this many characters or more must have at least three words."""


def json_grammar(schema: dict[str, Any]) -> str:
    """The grammar for replies to ``schema``, whose strings may be bounded by ``maxLength``."""
    tight = {**_tightened(schema), "x-guidance": _COMPACT}
    return f"%llguidance {{}}\nstart: %json {json.dumps(tight, ensure_ascii=False)}"


def _tightened(node: dict[str, Any]) -> dict[str, Any]:
    out = dict(node)
    if "properties" in out:
        out["properties"] = {n: _tightened(child) for n, child in out["properties"].items()}
    if "items" in out:
        out["items"] = _tightened(out["items"])
    if "maxLength" in out:
        longest = out.pop("maxLength")
        out.pop("minLength", None)
        out["pattern"] = _words(longest)
    return out


def _words(longest: int) -> str:
    """Words up to about ``longest`` characters together, ending where a word ends."""
    least = 2 if longest >= PHRASE else 0
    most = max(least, longest // CHARACTERS_A_WORD - 1)
    return f"^{_WORD}({_BETWEEN}{_WORD}){{{least},{most}}}{_END}$"
