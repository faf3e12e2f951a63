"""The story as it stands, in tables."""

from typing import TYPE_CHECKING

from zencli.story.book import Language
from zencli.story.state import State

if TYPE_CHECKING:
    from zencli.export.report.data import Standing

MOST_FACTS = 300
"""How many facts are shown, the latest ones."""

_HEADS: dict[Language, dict[str, tuple[str, ...]]] = {
    "zh": {
        "people": ("人物", "姓名", "处境", "所在", "状况", "目标", "截至第几章"),
        "items": ("物件", "归谁", "物件", "数量", "变动", "所在", "截至第几章"),
        "relations": ("关系", "甲", "乙", "如今", "截至第几章"),
        "facts": ("已定的事实", "关于", "事实", "出自第几章", "原句"),
    },
    "en": {
        "people": ("Characters", "Name", "Status", "Place", "Condition", "Goal", "As of"),
        "items": ("Things", "Owner", "Thing", "Quantity", "Change", "Where", "As of"),
        "relations": ("Relations", "Who", "With whom", "Now", "As of"),
        "facts": ("Established facts", "About", "Fact", "Chapter", "Sentence"),
    },
}


def standing_tables(state: State, language: Language) -> "tuple[Standing, ...]":
    """Characters, things, relations and facts; what there is none of has no table."""
    from zencli.export.report.data import Standing

    rows: dict[str, list[tuple[str, ...]]] = {
        "people": [
            (c.name, c.status, c.place, c.condition, c.goal, str(c.as_of))
            for c in state.characters.values()
        ],
        "items": [
            (i.owner, i.item, i.quantity, i.change, i.where, str(i.as_of))
            for i in state.items.values()
        ],
        "relations": [(r.a, r.b, r.now, str(r.as_of)) for r in state.relations.values()],
        "facts": [(f.about, f.says, str(f.chapter), f.quote) for f in state.facts[-MOST_FACTS:]],
    }
    heads = _HEADS[language]
    return tuple(
        Standing(heads[key][0], (heads[key][1:], *found)) for key, found in rows.items() if found
    )
