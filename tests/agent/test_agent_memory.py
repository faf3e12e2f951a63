"""Memory across turns (B65 to B68): context by rank, trail, working set, history."""

import re
from pathlib import Path

import pytest
from agent_helpers import Stage, calls, reads, routed, says, stage
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.memory.budgets import Budgets, budgets
from zencli.agent.memory.candidates import pointed_at
from zencli.agent.memory.ranked import LEAST, Candidate, Rank, choose, fitting
from zencli.agent.turn import Asked
from zencli.llm.profiles import PROFILES, Profile
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import Request
from zencli.store.chapter_text import join_chapter


@pytest.fixture
def zh(tmp_path: Path) -> Stage:
    return stage(tmp_path)


def put(played: Stage, path: str, text: str) -> None:
    place = played.book.path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def headings(prompt: str) -> list[str]:
    return re.findall(r"^##+ (.*)$", prompt, re.MULTILINE)


def shown(played: Stage, message: str = "看看", **asked: object) -> str:
    """What the writer was given with a message."""
    played.turn(Asked(message, **asked), says("writer", "好。"), route="off")  # type: ignore[arg-type]
    return played.prompt("writer")


# B65: ranks, budgets, what is dropped


def test_B65_what_the_author_gave_comes_first_then_cards_then_the_chapter_before(
    zh: Stage,
) -> None:
    names = headings(shown(zh, files=("outline.md",), quotes=("海上没有船。",)))
    order = [
        next(i for i, heading in enumerate(names) if heading.startswith(start))
        for start in (
            "1（作者引的一段",
            "outline.md（作者打开",
            "characters/林晚.md",
            "chapters/0002",
        )
    ]
    assert order == sorted(order)


def test_B65_a_chapter_that_the_message_names_brings_its_neighbours(zh: Stage) -> None:
    for number in range(3, 9):
        put(zh, f"chapters/{number:04d}.md", join_chapter(f"{number}", f"第{number}夜无事。"))
    names = " ".join(headings(shown(zh, "第五章开头太慢")))
    assert all(f"chapters/000{number}.md" in names for number in (4, 5, 6))
    assert "chapters/0001.md" not in names
    assert "chapters/0008.md" not in names


def test_B65_without_a_chapter_named_the_latest_is_the_one_before(zh: Stage) -> None:
    assert any(h.startswith("chapters/0002.md") for h in headings(shown(zh)))


@pytest.mark.parametrize(
    ("message", "numbers"),
    [("第三章太慢", {3}), ("把第12章和第十三章合起来", {12, 13}), ("Mend chapter 7.", {7}),
     ("第０３回", {3}), ("无关", set())],
)  # fmt: skip
def test_B65_chapters_are_understood_as_authors_write_them(message: str, numbers: set[int]) -> None:
    assert pointed_at(message, ()) == numbers


def test_B65_a_name_in_the_message_lifts_its_card(zh: Stage) -> None:
    for name in ("阿一", "阿二", "阿三"):
        put(zh, f"characters/{name}.md", f"# {name}\n\n- 别名：小{name[1]}子\n")
    names = headings(shown(zh, "小三子在哪里"))
    cards = [name for name in names if name.startswith("characters/")]
    assert cards[0].startswith("characters/阿三.md")


def test_B65_passages_come_from_what_is_not_shown(zh: Stage) -> None:
    for number in range(3, 30):
        text = (
            f"第{number}夜无事。\n\n他把铜钥匙沉进了井里。"
            if number == 11
            else f"第{number}夜无事。"
        )
        put(zh, f"chapters/{number:04d}.md", join_chapter(f"{number}", text))
    prompt = shown(zh, "铜钥匙后来去哪了")
    assert "## chapters/0011.md（摘出的一段，从第 5 行起）\n他把铜钥匙沉进了井里。" in prompt
    assert prompt.count("他把铜钥匙沉进了井里。") == 1
    opened = shown(zh, "铜钥匙后来去哪了", files=("chapters/0011.md",))
    assert opened.count("他把铜钥匙沉进了井里。") == 1


def test_B65_every_heading_says_full_or_cut_and_how_to_go_on(zh: Stage) -> None:
    put(zh, "story_bible.md", "# 灯\n\n" + "海边的灯塔，一层一层往上。\n" * 4_000)
    prompt = shown(zh)
    bible = next(h for h in headings(prompt) if h.startswith("story_bible.md"))
    cut = re.fullmatch(
        r"story_bible\.md（文件；截取：(\d+) 个字符里的前 (\d+) 个，其余用 query_files，"
        r'path="story_bible.md"，offset=(\d+)）',
        bible,
    )
    assert cut, bible
    assert int(cut[2]) == int(cut[3]) < int(cut[1])
    assert "标“全文”的，是这次请求开始时的整个文件" in prompt
    assert any(
        re.fullmatch(r"rules\.md.*|characters/林晚\.md（文件；全文）", h) for h in headings(prompt)
    )


def test_B65_the_secrets_are_not_put_before_the_writer(zh: Stage) -> None:
    put(zh, "secrets.md", "# 底牌\n\n灯是林晚自己打碎的。\n")
    assert "林晚自己打碎" not in shown(zh, "灯是谁打碎的")
    zh.turn("灯是谁打碎的", says("planner", "好。"), route="planner")
    assert "林晚自己打碎" in zh.prompt("planner")


def test_B65_nor_is_what_really_happened(zh: Stage) -> None:
    put(zh, "timeline.md", "# 时间线\n\n- 第一夜：林晚自己打碎了灯。\n")
    prompt = shown(zh, "林晚的灯是谁打碎的")
    assert "自己打碎" not in prompt
    assert "timeline.md" in prompt[prompt.index("## 文件清单") :]


def test_B65_a_chapter_at_work_before_does_not_hide_the_latest(zh: Stage) -> None:
    for number in (3, 4, 5):
        put(zh, f"chapters/{number:04d}.md", f"# 章\n\n第{number}夜的雾。\n")
    zh.turn(
        "看第一章", reads("chapters/0001.md"), says("writer", "看了。"), route="off", session="a"
    )
    zh.turn("写下一章", says("writer", "好。"), route="off", session="a")
    prompt = zh.prompt("writer")
    assert "第5夜的雾" in prompt and "又是一个雾夜" in prompt


def test_B65_what_is_dropped_stays_in_the_list_of_files(zh: Stage) -> None:
    for number in range(40):
        put(zh, f"lore/{number:02d}.md", f"# {number}\n\n" + "礁石。" * 3_000)
    prompt = shown(zh)
    names = [h for h in headings(prompt) if h.startswith("lore/")]
    assert 0 < len(names) < 40
    assert "lore/39.md" in prompt[prompt.index("## 文件清单") :]


def estimate(text: str) -> int:
    return len(text)


RANKS = st.sampled_from(list(Rank))
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        RANKS,
        st.just("file"),
        st.integers(0, 99).map(str),
        st.text("字\n", max_size=3_000),
        st.floats(0, 9),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(CANDIDATES, st.integers(0, 8_000))
def test_B65_the_budget_holds_and_nothing_is_shown_as_a_stump(
    candidates: list[Candidate], budget: int
) -> None:
    items = choose(candidates, budget, estimate)
    assert sum(estimate(item.text) for item in items) <= budget
    critical = {c.name for c in candidates if c.rank is Rank.CRITICAL}
    for item in items:
        if item.name not in critical and not item.full:
            assert item.shown >= min(LEAST, item.total / 2)
    order = [c.name for c in sorted(candidates, key=lambda c: (c.rank, -c.score))]
    at = iter(order)
    assert all(item.name in at for item in items)  # in the order of rank and score


@settings(max_examples=60, deadline=None)
@given(st.text("ab字\n", max_size=400), st.integers(-1, 500))
def test_B65_a_cut_text_is_a_beginning_that_fits(text: str, room: int) -> None:
    cut = fitting(text, room, estimate)
    assert text.startswith(cut)
    assert estimate(cut) <= max(room, 0)


def test_B65_budgets_are_those_of_the_table_and_only_history_shrinks() -> None:
    large = budgets(Profile(window=1_000_000))
    assert large == Budgets(32_000, 32_000, 160_000)
    assert large.history_left(40_000) == 32_000
    assert large.history_left(140_000) == 20_000
    assert large.history_left(200_000) == 0
    small = budgets(PROFILES["embedded"])
    assert small.context + small.history <= PROFILES["embedded"].window / 2


# B66 and B68: history


def test_B66_no_tool_result_comes_back_but_the_trail_does(zh: Stage) -> None:
    talked = {"session": "s"}
    edits = [{"op": "replace", "old": "海上没有船。", "new": "海上有一条船。"}]
    zh.turn(
        "改一句", reads("chapters/0001.md"),
        calls("writer", ("edit_file", {"path": "chapters/0001.md", "edits": edits})),
        says("writer", "改好了。"), route="off", **talked,
    )  # fmt: skip
    zh.turn("谢谢", says("writer", "不谢。"), route="off", **talked)
    past = zh.model.requests[0].messages[1:-1]
    assert [m.role for m in past] == ["user", "assistant"]
    assert past[0].content == "改一句"
    assert past[1].content.startswith("改好了。")
    assert "chapters/0001.md" in past[1].content
    assert not any(m.tool_calls or m.role == "tool" for m in past)


class Talkative(ScriptedModel):
    """Says something long in every turn, and summarises when it's asked to."""

    def __init__(self, window: int) -> None:
        super().__init__([], profile=Profile(window=window, price_input=0, price_output=0))

    def _next(self, request: Request) -> Step:
        if request.role == "compact":
            return Step("compact", f"## 目标\n第{len(self.requests)}次纪要：写灯塔。")
        return Step(request.role, "答。" + "灯亮着。" * 120)


def long_session(zh: Stage, turns: int, *, compaction: bool) -> list[Request]:
    """The requests of a session that grows too long for a window of 16,000 tokens."""
    (zh.root / "zencli.toml").write_text(f"[agent]\ncompaction = {str(compaction).lower()}\n")
    zh.model = Talkative(16_000)
    with zh.agents().talk(choice(session="long")) as talk:
        for number in range(1, turns + 1):
            talk.turn(Asked(f"第{number}个问题"))
    return zh.model.requests


def choice(**wish: object):  # type: ignore[no-untyped-def]
    from zencli.agent.talk import Choice

    return Choice(route="off", **wish)  # type: ignore[arg-type]


def test_B68_the_newest_turns_are_kept_and_the_oldest_fall_out(zh: Stage) -> None:
    requests = long_session(zh, 14, compaction=False)
    assert all(request.role == "writer" for request in requests)
    last = [m.content for m in requests[-1].messages if m.role == "user"][:-1]
    kept = [int(re.findall(r"\d+", text)[0]) for text in last]
    assert kept == list(range(kept[0], 14))
    assert kept[0] > 1


def test_B68_what_falls_out_is_summarised_once(zh: Stage) -> None:
    requests = long_session(zh, 24, compaction=True)
    made = [request for request in requests if request.role == "compact"]
    assert 1 <= len(made) <= 5
    covered: list[str] = []
    for request in made:
        covered += re.findall(r"作者：(第\d+个问题)", request.messages[-1].content)
    assert len(covered) == len(set(covered))
    last = requests[-1].messages
    assert "次纪要" in last[1].content
    kept = [m.content for m in last[3:-1] if m.role == "user"]
    assert not set(kept) & set(covered)
    assert covered + kept == [f"第{n}个问题" for n in range(1, 24)]


def test_B68_a_summary_is_read_back_and_not_made_again(zh: Stage) -> None:
    long_session(zh, 24, compaction=True)
    zh.model = Talkative(16_000)
    with zh.agents().talk(choice(session="long")) as talk:
        talk.turn(Asked("接着说"))
    assert [request.role for request in zh.model.requests] in (["writer"], ["compact", "writer"])
    assert "次纪要" in zh.model.requests[-1].messages[1].content


def test_B68_a_summary_that_fails_costs_the_author_nothing(zh: Stage) -> None:
    class Failing(Talkative):
        def complete(self, request, on_text=None):  # type: ignore[no-untyped-def]
            from zencli.errors import ModelError

            if request.role == "compact":
                raise ModelError("llm.network", "The endpoint went away.")
            return super().complete(request, on_text)

    (zh.root / "zencli.toml").write_text("[agent]\ncompaction = true\n")
    zh.model = Failing(16_000)
    with zh.agents().talk(choice(session="long")) as talk:
        outcomes = [talk.turn(Asked(f"第{n}个问题")) for n in range(1, 15)]
    assert all(outcome.error is None for outcome in outcomes)
    assert any("summarised" in warning for warning in outcomes[-1].warnings)


# B67: the working set


def test_B67_files_of_the_last_replies_are_shown_as_they_are_now(zh: Stage) -> None:
    zh.turn(
        "看看人物", routed(), reads("characters/林晚.md"), says("writer", "看了。"), session="s"
    )
    put(zh, "characters/林晚.md", "# 林晚\n\n- 身份：灯塔的新主人\n")
    zh.turn("好", says("writer", "嗯。"), route="off", session="s")
    request = zh.model.requests[0]
    user = request.messages[-1].content
    work = user[user.index("## 正在做的") : user.index("[作者的话]")]
    assert "### characters/林晚.md（全文）" in work
    assert "灯塔的新主人" in work
    assert user.count("灯塔的新主人") == 1
    assert "灯塔的新主人" not in request.messages[0].content


def test_B67_the_system_message_stays_the_same_while_the_working_set_changes(zh: Stage) -> None:
    zh.turn("看看", reads("outline.md"), says("writer", "嗯。"), route="off", session="s")
    first = zh.model.requests[0].messages[0]
    zh.turn("再看", reads("style.md"), says("writer", "嗯。"), route="off", session="s")
    assert zh.model.requests[0].messages[0] == first


def test_B67_at_most_eight_files_the_rest_by_name(zh: Stage) -> None:
    paths = [f"lore/{number:02d}.md" for number in range(11)]
    for path in paths:
        put(zh, path, f"# {path}\n\n礁石。\n")
    zh.turn(
        "都看看", calls("writer", *(("query_files", {"path": path}) for path in paths)),
        says("writer", "看了。"), route="off", session="s",
    )  # fmt: skip
    zh.turn("好", says("writer", "嗯。"), route="off", session="s")
    user = zh.model.requests[0].messages[-1].content
    work = user[user.index("## 正在做的") :]
    assert work.count("### lore/") == 8
    assert "也动过、这里没列正文：lore/08.md、lore/09.md、lore/10.md" in work


def test_B67_a_file_of_an_older_reply_is_at_work_no_more(zh: Stage) -> None:
    zh.turn("看", reads("outline.md"), says("writer", "嗯。"), route="off", session="s")
    for _ in range(2):
        zh.turn("好", says("writer", "嗯。"), route="off", session="s")
    zh.turn("好", says("writer", "嗯。"), route="off", session="s")
    assert "## 正在做的" not in zh.model.requests[0].messages[-1].content


def test_B67_what_the_author_changed_since_is_marked(zh: Stage) -> None:
    edits = [{"op": "replace", "old": "海上没有船。", "new": "海上有一条船。"}]
    zh.turn(
        "改一句", reads("chapters/0001.md"),
        calls("writer", ("edit_file", {"path": "chapters/0001.md", "edits": edits})),
        says("writer", "改好了。"), route="off", session="s",
    )  # fmt: skip
    path = zh.book.path / "chapters/0001.md"
    path.write_text(path.read_text("utf-8").replace("一条船", "两条船"), "utf-8")
    zh.turn("好", says("writer", "嗯。"), route="off", session="s")
    user = zh.model.requests[0].messages[-1].content
    assert "作者自己改了下面这些" in user
    assert "海上有两条船" in user[user.index("作者自己改了") :]
