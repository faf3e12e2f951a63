"""Next steps that need no model: what the state of the book calls for, most pressing first."""

from collections.abc import Iterator

from zencli.pipeline.overview import BookStatusView, ChapterLine
from zencli.story.book import Language
from zencli.story.state import Hook, State

COUNT = 3

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "failed": "第{number}章没过审，按审稿意见把它改好。",
        "edited": "我手改过第{number}章，看一遍，把人物和伏笔的账对上。",
        "stale": "前文改过了，看看第{number}章哪里对不上，只改对不上的地方。",
        "overdue": "“{promise}”早该有个交代了，下一章给读者一个兑现。",
        "due": "“{promise}”快到期了，排一排在哪一章兑现、付什么代价。",
        "warnings": "第{number}章还有{count}处小毛病，帮我修一修，别动情节。",
        "first": "写第一章，开头三百字里让麻烦找上主角。",
        "next": "接着写第{number}章，照大纲走，结尾停在一个没法回头的选择上。",
        "end": "全书写完了，从头审一遍，先告诉我哪三章最弱。",
        "plan": "先别写正文，给第{number}章出两个走法，各说清谁会输掉什么。",
        "hooks": "把还没收的悬念列一张表，哪些该收、哪些该放、各在第几章。",
        "voice": "挑最近一章里最平的一段对话，改得让两个人各有各的算盘。",
    },
    "en": {
        "failed": "Chapter {number} failed its audit; mend what the findings name.",
        "edited": "I changed chapter {number} by hand; read it and bring the record up to date.",
        "stale": "Earlier chapters changed: check chapter {number} and mend only what disagrees.",
        "overdue": "“{promise}” is overdue; pay it off in the next chapter.",
        "due": "“{promise}” falls due soon; plan the chapter that pays it, and what it costs.",
        "warnings": "Mend the {count} small faults of chapter {number} and leave the plot alone.",
        "first": "Write chapter one, and let the trouble reach the hero on the first page.",
        "next": "Write chapter {number} by the outline; end on a choice nobody can take back.",
        "end": "The book is done: read it from the start and name its three weakest chapters.",
        "plan": "No prose yet: give me two ways chapter {number} could go, and who loses what.",
        "hooks": "List every open promise: which to pay, which to drop, and in which chapter.",
        "voice": "Take the flattest dialogue of the last chapter and give each speaker an aim.",
    },
}


def suggested(status: BookStatusView, state: State) -> list[str]:
    """Three different steps in the language of the book, as its author would say them."""
    words = _WORDS[status.language]
    found = (words[key].format(**values) for key, values in _steps(status, state))
    return [step for step, _ in zip(dict.fromkeys(found), range(COUNT), strict=False)]


def _steps(status: BookStatusView, state: State) -> Iterator[tuple[str, dict[str, object]]]:
    chapters = status.chapters
    latest = chapters[-1].number if chapters else 0
    yield from _troubles(chapters)
    yield from _promises(state, latest)
    if not chapters:
        yield "first", {}
    elif latest < status.target_chapters:
        yield "next", {"number": latest + 1}
    else:
        yield "end", {}
    for line in reversed(chapters):
        if line.warnings and line.status != "approved":
            yield "warnings", {"number": line.number, "count": line.warnings}
            break
    if latest < status.target_chapters:
        yield "plan", {"number": latest + 1}
    yield "hooks", {}
    yield "voice", {}


def _troubles(chapters: list[ChapterLine]) -> Iterator[tuple[str, dict[str, object]]]:
    """At most one step for each kind of trouble, about the earliest chapter that has it."""
    for key, has in (
        ("failed", lambda c: c.status == "failed"),
        ("edited", lambda c: "edited" in c.flags),
        ("stale", lambda c: "stale" in c.flags),
    ):
        line = next((c for c in chapters if has(c)), None)
        if line is not None:
            yield key, {"number": line.number}


def _promises(state: State, latest: int) -> Iterator[tuple[str, dict[str, object]]]:
    """The hook that is longest overdue, else the one that is due within three chapters."""
    dated = [h for h in state.hooks.values() if h.unpaid and h.planted and h.due and h.promise]
    first: Hook | None = min(dated, key=lambda hook: (hook.due, hook.id), default=None)
    if first is not None and first.due <= latest + 3:
        yield (
            ("overdue" if first.due <= latest else "due"),
            {"promise": first.promise.rstrip("。.")},
        )
