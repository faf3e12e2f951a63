"""``hybrid_search``: ranked passages of the whole book for a question in any words."""

from collections.abc import Sequence
from typing import Any

from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.meaning import nearest
from zencli.agent.tools.passage_search import LONGEST, Hit, search
from zencli.agent.tools.places import TYPES, type_of
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import the_book
from zencli.agent.tools.scanning import files_of, paths_of
from zencli.agent.tools.search_terms import names_on_cards, terms_of
from zencli.agent.tools.spec import ToolSpec, arguments, number, said, text
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.errors import ZencliError
from zencli.llm.embeddings import Embeddings
from zencli.pipeline.configuration.search_table import SearchChoice
from zencli.store.layout import BookDir
from zencli.store.snapshot import as_committed

_TOP = 8
_MOST = 30


def hybrid_search(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Find the passages that answer a query best; nothing found is no failure.

    Where an embedding model is configured, what is near in meaning is put among them. When that
    fails the words alone decide, and the answer says so.
    """
    book = as_committed(the_book(turn))
    query, types = given["query"], given.get("types", [])
    terms = terms_of(query, names_on_cards(book))
    if not terms:
        raise ToolRefused("invalid_arguments", "query: has no word to look for.", "Name things.")
    passages = [_told(hit) for hit in search(book, terms, types)]
    data: dict[str, Any] = {"terms": [term.text for term in terms]}
    if turn.search.model:
        passages = _fused(passages, _by_meaning(book, turn.search, query, types, data))
    least, most = given.get("min_score", 0.0), given.get("top_k", _TOP)
    data["passages"] = [one for one in passages if one["score"] >= least][:most]
    found = len(data["passages"])
    return ToolResult(
        data=data,
        for_model=f"{found} passages, the best first; they are parts of their files.",
        for_author=tell(turn, "searched", query=query[:40], count=found),
    )


def _told(hit: Hit) -> dict[str, Any]:
    return {
        "path": hit.path,
        "type": type_of(hit.path),
        "line": hit.line,
        "score": round(hit.score, 3),
        "source": "words",
        "text": hit.text[:LONGEST],
    }


def _by_meaning(
    book: BookDir, choice: SearchChoice, query: str, types: Sequence[str], data: dict[str, Any]
) -> list[dict[str, Any]]:
    """The passages near in meaning; ``data`` is told what is missing."""
    embeddings = Embeddings(choice.base_url, choice.model, choice.api_key)
    try:
        near = nearest(book, files_of(book, _newest_first(book, types)), query, embeddings)
    except ZencliError as error:
        data["meaning"] = f"Words alone were searched: {error.message}"
        return []
    finally:
        embeddings.close()
    if near.left:
        data["meaning"] = f"{near.left} older sections aren't known by meaning yet."
    return [
        {
            "path": section.path,
            "type": type_of(section.path),
            "line": section.line,
            "score": round(score, 3),
            "source": "meaning",
            "text": section.text[:LONGEST],
        }
        for section, score in near.sections
    ]


def _newest_first(book: BookDir, types: Sequence[str]) -> list[str]:
    """What stands beside the chapters, then the chapters from the latest on."""
    paths = [path for path in paths_of(book) if not types or type_of(path) in types]
    chapters = [path for path in paths if path.startswith("chapters/")]
    return [*(path for path in paths if path not in set(chapters)), *reversed(chapters)]


def _fused(
    by_words: list[dict[str, Any]], by_meaning: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Both lists as one: a passage that both found counts more than either says."""
    kept = []
    for near in by_meaning:
        last = near["line"] + near["text"].count("\n")
        same = [
            hit
            for hit in by_words
            if hit["path"] == near["path"] and near["line"] <= hit["line"] <= last
        ]
        for hit in same:
            score = 1 - (1 - hit["score"]) * (1 - near["score"])
            hit |= {"score": round(score, 3), "source": "words and meaning"}
        if not same:
            kept.append(near)
    return sorted([*by_words, *kept], key=lambda one: -one["score"])


SPEC = ToolSpec(
    name="hybrid_search",
    description=said(
        "在全书里按意思查找，返回最相关的段落，带文件、行号和得分。人名、物件、事件都可以查。",
        "Look for something in the whole book: the passages that fit best, with file, line and "
        "score. For names, things, events.",
    ),
    parameters=arguments(
        ["query"],
        query=text("要找什么", "what to look for", minLength=1, maxLength=300),
        top_k=number("最多几段（默认 8）", "most passages (default 8)", minimum=1, maximum=_MOST),
        types={
            "type": "array",
            "items": {"type": "string", "enum": [kind for kind in TYPES if kind != "folder"]},
            "description": said("只在这几类文件里找", "only in files of these types"),
        },
        min_score={
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": said("得分至少多少（0 到 1）", "least score, 0 to 1"),
        },
    ),
    permission="read",
    handler=hybrid_search,
)
