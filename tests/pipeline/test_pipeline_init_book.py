"""A brief becomes the foundation of a book, all at once or not at all."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import BOOK, ZH, Breaking, book_of, files_of, play, prompt, reply, roles, step

from zencli.context.canon import Canon
from zencli.errors import ModelError, UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.params import InitBook
from zencli.pipeline.runner import Runner
from zencli.story.documents.views import render_state

BRIEF = (
    "桥要留着，谁也不许死在第一章。\n\n"
    "# 这不是标题\n- {{ 这也不是变量 }} {% raw %} <b>&amp;</b>\n"
    "结尾：“晓得嘞”。"
)
FOUNDATION = (
    "book.toml",
    "brief.md",
    "story_bible.md",
    "outline.md",
    "timeline.md",
    "secrets.md",
    "rules.md",
    "style.md",
    "state.md",
    "hooks.md",
    "records/foundation.json",
)


def entry(number: int) -> dict[str, Any]:
    return {"number": number, "when": f"第 {number} 日", "event": f"事件甲{number}", "cost": "代价"}


def outline(first: int, last: int) -> Step:
    return step("outline", chapters=[entry(n) for n in range(first, last + 1)])


def structure(*spans: tuple[int, int]) -> Step:
    arcs = [
        {"title": f"段{a}", "first": a, "last": b, "promise": f"期待{a}", "turn": "翻"}
        for a, b in spans
    ]
    return step("structure", volumes=[{"title": "上卷", "arcs": arcs}])


CONCEPT, CAST = Step("concept", ZH.read("concept.json")), Step("cast", ZH.read("cast.json"))
NOTHING = step("reconcile", problems=[])


def long_book(*steps: Step) -> list[Step]:
    return [CONCEPT, CAST, *steps, NOTHING]


def test_every_file_of_the_foundation_is_written_and_told(tmp_path: Path) -> None:
    runner, model = play(tmp_path, ZH.opening())
    result = runner.init_book(ZH.wish())
    model.done()
    folder = Path(result.path)
    on_disk = set(files_of(folder))
    names = {c["name"] for c in reply("cast")["characters"]}
    cards = {name for name in on_disk if name.startswith("characters/")}
    assert set(result.files) == on_disk
    assert set(FOUNDATION) <= on_disk
    assert cards == {f"characters/{name}.md" for name in names}
    assert all((folder / name).read_text(encoding="utf-8").strip() for name in on_disk)


def test_nothing_of_the_concept_or_cast_is_cast_away(tmp_path: Path) -> None:
    play(tmp_path, [CONCEPT, CAST, Step("outline", ZH.read("outline.json")), NOTHING])[0].init_book(
        ZH.wish()
    )
    written = files_of(book_of(tmp_path).path).values()
    everything = "\n".join(data.decode("utf-8") for data in written)
    flat = " ".join(everything.split())

    def leaves(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [
                leaf for key, v in value.items() if key not in ("id", "do") for leaf in leaves(v)
            ]
        if isinstance(value, list):
            return [leaf for item in value for leaf in leaves(item)]
        return [value] if isinstance(value, str) and value else []

    for name in ("concept", "cast", "outline"):
        for text in leaves(reply(name)):
            kept = all(" ".join(line.split()) in flat for line in text.splitlines())
            assert kept, f"{name}: {text}"


def test_brief_and_instruction_stand_word_for_word_on_disk_and_in_every_planning_call(
    tmp_path: Path,
) -> None:
    brief = tmp_path / "brief.txt"
    brief.write_text(BRIEF, encoding="utf-8")
    instruction = "第二章之前不许出太阳；  “两个空格” 也留着。"
    steps = long_book(structure((1, 3), (4, 13)), outline(1, 3))
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(brief=str(brief), instruction=instruction, target_chapters=13))
    assert roles(model) == ["concept", "cast", "structure", "outline", "reconcile"]
    for request in model.requests:
        assert BRIEF in prompt(request), request.role
        assert instruction in prompt(request), request.role
    kept = (book_of(tmp_path).path / "brief.md").read_text(encoding="utf-8")
    assert kept == f"{BRIEF}\n\n{instruction}\n"


def test_a_missing_title_comes_from_the_bible_and_the_id_derives_from_it(tmp_path: Path) -> None:
    result = play(tmp_path, ZH.opening())[0].init_book(ZH.wish(title=""))
    bible = (Path(result.path) / "story_bible.md").read_text(encoding="utf-8")
    assert (result.title, result.book_id) == (BOOK, BOOK)
    assert bible.startswith(f"# {BOOK}\n")
    assert tomllib.loads((Path(result.path) / "book.toml").read_text("utf-8"))["title"] == BOOK


@pytest.mark.parametrize("title", ["《七则桥》", "# 七则桥", " “七则桥” ", "**七则桥**"])
def test_marks_around_the_models_title_are_taken_off(tmp_path: Path, title: str) -> None:
    steps = [step("concept", **{**reply("concept"), "title": title}), *ZH.opening()[1:]]
    result = play(tmp_path, steps)[0].init_book(ZH.wish(title=""))
    assert (result.title, result.book_id) == (BOOK, BOOK)


def test_an_english_title_gives_an_id_of_letters_and_hyphens(tmp_path: Path) -> None:
    concept = {**reply("concept"), "title": "The Ferryman’s Café: Part 2"}
    steps = [step("concept", **concept), *ZH.opening()[1:]]
    result = play(tmp_path, steps)[0].init_book(ZH.wish(title=""))
    assert result.book_id == "the-ferrymans-cafe-part-2"
    assert result.title == "The Ferryman’s Café: Part 2"


def test_the_authors_title_wins_over_the_models(tmp_path: Path) -> None:
    result = play(tmp_path, ZH.opening())[0].init_book(ZH.wish(title="洪水记"))
    assert (result.title, result.book_id) == ("洪水记", "洪水记")
    assert (Path(result.path) / "story_bible.md").read_text("utf-8").startswith("# 洪水记\n")


def test_a_concept_without_a_title_is_asked_again(tmp_path: Path) -> None:
    untitled = step("concept", **{**reply("concept"), "title": None})
    runner, model = play(tmp_path, [untitled, *ZH.opening()])
    assert runner.init_book(ZH.wish(title="")).title == BOOK
    assert "title" in model.requests[1].messages[-1].content


def test_a_second_book_of_the_same_title_gets_another_id(tmp_path: Path) -> None:
    play(tmp_path, ZH.opening())[0].init_book(ZH.wish())
    second = play(tmp_path, ZH.opening(), fresh=True)[0].init_book(ZH.wish())
    assert second.book_id == f"{BOOK}-2"


def test_a_folder_without_a_book_in_it_doesnt_waste_the_planning_calls(tmp_path: Path) -> None:
    (tmp_path / "books" / BOOK).mkdir(parents=True)
    result = play(tmp_path, ZH.opening())[0].init_book(ZH.wish())
    assert result.book_id == f"{BOOK}-2"


def test_an_existing_id_is_refused_before_any_call(tmp_path: Path) -> None:
    play(tmp_path, ZH.opening())[0].init_book(ZH.wish())
    runner, model = play(tmp_path, [])
    with pytest.raises(UsageError) as caught:
        runner.init_book(ZH.wish(book_id=BOOK))
    assert caught.value.code == "book.exists"
    assert model.requests == []


def test_an_empty_brief_is_refused_before_any_call(tmp_path: Path) -> None:
    runner, model = play(tmp_path, [])
    with pytest.raises(UsageError) as caught:
        runner.init_book(InitBook(instruction=" \n\t"))
    assert caught.value.code == "usage.brief"
    assert (model.requests, list(tmp_path.iterdir())) == ([], [])


def test_the_defaults_are_200_chapters_of_3000(tmp_path: Path) -> None:
    steps = long_book(structure((1, 2), (3, 200)), outline(1, 2))
    result = play(tmp_path, steps)[0].init_book(InitBook(instruction="写一座桥。"))
    config = tomllib.loads((Path(result.path) / "book.toml").read_text("utf-8"))
    assert (config["target_chapters"], config["chapter_words"]) == (200, 3000)
    assert (config["language"], config["platform"], config["genre"]) == ("zh", "other", "general")


def test_twelve_chapters_are_one_arc_and_cost_no_structure_call(tmp_path: Path) -> None:
    steps = [CONCEPT, CAST, outline(1, 6), outline(7, 12), NOTHING]
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(target_chapters=12))
    model.done()


def test_the_outline_is_made_in_batches_and_nothing_is_elided(tmp_path: Path) -> None:
    steps = long_book(structure((1, 14), (15, 30)), outline(1, 6), outline(7, 12), outline(13, 14))
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(target_chapters=30))
    model.done()
    text = book_of(tmp_path).read("outline.md") or ""
    places = [text.index(f"事件甲{n}\n") for n in range(1, 15)]
    assert places == sorted(places)
    assert text.index("段1（") < places[0]
    assert places[-1] < text.index("段15（")
    assert "期待15" in text
    second = prompt(model.requests[4])
    assert "事件甲6" in second, "a batch sees where the one before it ended"


def test_a_very_long_book_is_structured_in_several_calls(tmp_path: Path) -> None:
    steps = long_book(
        structure((1, 2), (3, 300)), structure((301, 600)), structure((601, 620)), outline(1, 2)
    )
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(target_chapters=620))
    model.done()
    text = book_of(tmp_path).read("outline.md") or ""
    assert all(f"段{first}（" in text for first in (1, 3, 301, 601))
    assert "期待3" in prompt(model.requests[3]), "the next part sees the arcs before it"


BAD_SPANS = {
    "gap": ((1, 10), (12, 30)),
    "overlap": ((1, 10), (10, 30)),
    "late start": ((2, 30),),
    "early end": ((1, 29),),
    "late end": ((1, 31),),
    "backwards": ((1, 10), (11, 8), (11, 30)),
    "none": (),
}


@pytest.mark.parametrize("spans", BAD_SPANS.values(), ids=BAD_SPANS.keys())
def test_arcs_that_dont_tile_are_asked_again(
    tmp_path: Path, spans: tuple[tuple[int, int], ...]
) -> None:
    steps = long_book(structure(*spans), structure((1, 2), (3, 30)), outline(1, 2))
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(target_chapters=30))
    model.done()
    assert roles(model)[2:4] == ["structure", "structure"]
    assert prompt(model.requests[2]) in prompt(model.requests[3])


def test_arcs_with_a_gap_twice_fail_and_leave_nothing(tmp_path: Path) -> None:
    bad = structure((1, 10), (12, 30))
    runner, model = play(tmp_path, [CONCEPT, CAST, bad, bad])
    with pytest.raises(ModelError) as caught:
        runner.init_book(ZH.wish(target_chapters=30))
    model.done()
    assert caught.value.code == "llm.reply"
    assert not (tmp_path / "books").exists()


@pytest.mark.parametrize(
    "lacking",
    [
        [entry(1), entry(3)],
        [entry(1), {**entry(2), "event": ""}, entry(3)],
        [entry(1), entry(1), entry(3), entry(3)],
        [],
    ],
    ids=["missing", "without event", "twice", "none"],
)
def test_a_missing_chapter_of_the_outline_is_asked_again(
    tmp_path: Path, lacking: list[dict[str, Any]]
) -> None:
    steps = [CONCEPT, CAST, step("outline", chapters=lacking), outline(1, 3), NOTHING]
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish(target_chapters=3))
    model.done()
    assert "2" in model.requests[3].messages[-1].content
    text = book_of(tmp_path).read("outline.md") or ""
    assert all(f"事件甲{n}\n" in text for n in (1, 2, 3))


def test_chapters_numbered_wrongly_but_complete_are_taken_in_their_order(tmp_path: Path) -> None:
    """Models like to start every batch at 1."""
    again = step("outline", chapters=[entry(n) for n in range(1, 7)])
    runner, _ = play(tmp_path, [CONCEPT, CAST, outline(1, 6), again, NOTHING])
    runner.init_book(ZH.wish(target_chapters=12))
    text = book_of(tmp_path).read("outline.md") or ""
    assert "第 7 章\n\n- 时间：第 1 日" in text


def test_fixes_of_the_reconciling_call_are_applied_and_told(tmp_path: Path) -> None:
    result = play(tmp_path, ZH.opening())[0].init_book(ZH.wish())
    assert [p.applied for p in result.problems] == [True, True]
    book = book_of(tmp_path)
    assert "五尺六寸" in (book.read("story_bible.md") or "")
    assert "五尺四寸" not in (book.read("story_bible.md") or "")
    assert all(p.what and p.old and p.new for p in result.problems)


@pytest.mark.parametrize(
    "problem",
    [
        {"document": "outline", "old": "这句话哪里也没有", "new": "换"},
        {"document": "story_bible", "old": "的", "new": "之"},
        {"document": "brief", "old": "不存在的一句", "new": "换"},
    ],
    ids=["nowhere", "many places", "no such document"],
)
def test_a_fix_without_a_place_is_told_and_changes_nothing(
    tmp_path: Path, problem: dict[str, str]
) -> None:
    plain, asked = tmp_path / "plain", tmp_path / "asked"
    plain.mkdir()
    asked.mkdir()
    play(plain, [*ZH.opening()[:3], NOTHING])[0].init_book(ZH.wish())
    runner, _ = play(
        asked, [*ZH.opening()[:3], step("reconcile", problems=[{"what": "对不上", **problem}])]
    )
    result = runner.init_book(ZH.wish())
    assert [p.applied for p in result.problems] == [False]
    assert any("对不上" in warning for warning in runner.warnings)
    for name in ("story_bible.md", "outline.md", "secrets.md", "timeline.md", "rules.md"):
        assert book_of(plain).read(name) == book_of(asked).read(name)


def test_a_fix_that_names_the_wrong_document_is_applied_where_the_words_stand(
    tmp_path: Path,
) -> None:
    fix = {
        "what": "尺寸",
        "document": "style.md",
        "old": "第七道线离石脚五尺四寸",
        "new": "五尺六寸",
    }
    steps = [*ZH.opening()[:3], step("reconcile", problems=[fix])]
    result = play(tmp_path, steps)[0].init_book(ZH.wish())
    assert result.problems[0].applied
    assert "五尺四寸" not in (book_of(tmp_path).read("story_bible.md") or "")


def test_the_opening_state_agrees_with_the_reconciled_cards(tmp_path: Path) -> None:
    start = reply("cast")["characters"][0]["start"]
    fix = {"what": "日子", "document": "characters", "old": start, "new": "七月初九，在桥上。"}
    steps = [*ZH.opening()[:3], step("reconcile", problems=[fix])]
    play(tmp_path, steps)[0].init_book(ZH.wish())
    canon = Canon.load(book_of(tmp_path))
    state = book_of(tmp_path).read("state.md") or ""
    assert "七月初九，在桥上。" in state
    assert state == render_state(canon.state_before(1), "zh")


@pytest.mark.parametrize("at", range(1, 7))
def test_a_failure_at_any_planning_call_leaves_no_book_and_costs_nothing_twice(
    tmp_path: Path, at: int
) -> None:
    steps = long_book(structure((1, 8), (9, 20)), outline(1, 6), outline(7, 8))
    wish = ZH.wish(target_chapters=20)
    model = Breaking(steps, at)
    with pytest.raises(ModelError) as caught:
        Runner(tmp_path, model=model).init_book(wish)
    assert caught.value.code == "llm.network"
    assert len(model.requests) == at - 1
    assert not (tmp_path / "books").exists() or not list((tmp_path / "books").iterdir())

    again = ZH.model(steps[at - 1 :])
    runner = Runner(tmp_path, model=again)
    result = runner.init_book(wish)
    again.done()
    assert runner.usage.calls == len(steps) - at + 1
    assert set(FOUNDATION) <= set(result.files)


def test_a_reply_that_had_to_be_asked_for_twice_is_recalled_with_its_first_try(
    tmp_path: Path,
) -> None:
    steps = [Step("concept", "{}"), *ZH.opening()]
    with pytest.raises(ModelError):
        Runner(tmp_path, model=Breaking(steps, 3)).init_book(ZH.wish())
    runner, model = play(tmp_path, steps[2:])
    runner.init_book(ZH.wish())
    model.done()
    assert runner.usage.calls == 3


def test_with_fresh_every_call_is_made_again(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        Runner(tmp_path, model=Breaking(ZH.opening(), 4)).init_book(ZH.wish())
    runner, model = play(tmp_path, ZH.opening(), fresh=True)
    runner.init_book(ZH.wish())
    model.done()


def test_an_unusable_reply_is_not_recalled(tmp_path: Path) -> None:
    rubbish = Step("cast", "我不会写 JSON。")
    with pytest.raises(ModelError) as caught:
        play(tmp_path, [CONCEPT, rubbish, rubbish])[0].init_book(ZH.wish())
    assert caught.value.code == "llm.reply"
    assert "cast" in caught.value.message
    runner, model = play(tmp_path, ZH.opening()[1:])
    runner.init_book(ZH.wish())
    model.done()


def test_a_reply_cut_off_twice_is_named_as_such(tmp_path: Path) -> None:
    cut = Step("concept", ZH.read("concept.json")[:400], "length")
    with pytest.raises(ModelError) as caught:
        play(tmp_path, [cut, cut])[0].init_book(ZH.wish())
    assert caught.value.code == "llm.truncated"
    assert not (tmp_path / "books").exists()


def test_secrets_stay_out_of_the_open_files(tmp_path: Path) -> None:
    play(tmp_path, ZH.opening())[0].init_book(ZH.wish())
    book = book_of(tmp_path)
    concept, cast = reply("concept"), reply("cast")
    hidden = [
        concept["ending"],
        *(s["truth"] for s in concept["secrets"]),
        *(c["secret"] for c in cast["characters"] if c["secret"]),
        *(h["answer"] for h in cast["hooks"] if h["answer"]),
    ]
    closed = " ".join((book.read("secrets.md") or "").split())
    open_files = "\n".join(
        text
        for name in ("story_bible.md", "rules.md", "style.md", "state.md", "hooks.md")
        if (text := book.read(name))
    ) + "\n".join(book.cards().values())
    for truth in hidden:
        assert " ".join(truth.split()) in closed
        assert truth not in open_files


def test_people_with_names_alike_get_cards_of_their_own(tmp_path: Path) -> None:
    people = [{"name": "Ann", "card": "one"}, {"name": "ANN!", "card": "two"}, {"name": "…"}]
    steps = [CONCEPT, step("cast", characters=people, hooks=[]), *ZH.opening()[2:3], NOTHING]
    result = play(tmp_path, steps)[0].init_book(ZH.wish())
    cards = sorted(name for name in result.files if name.startswith("characters/"))
    assert cards == ["characters/ann-2.md", "characters/ann.md", "characters/character.md"]


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        '<think>先想一想 {"title": "错"}</think>\n{}',
        "好的，下面是 JSON：\n{}\n希望有帮助！",
        "\ufeff{}",
    ],
    ids=["fence", "thinking", "chatter", "bom"],
)
def test_what_stands_around_the_object_doesnt_matter(tmp_path: Path, text: str) -> None:
    steps = [Step(s.role, text.replace("{}", s.text)) for s in ZH.opening()]
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish())
    model.done()
    assert runner.warnings == []


def test_nulls_extra_keys_and_wrong_types_are_read_as_well_as_can_be(tmp_path: Path) -> None:
    concept = {**reply("concept"), "map": None, "world": "一条规则", "mood": 7, "forbidden": None}
    concept["secrets"] = [{"truth": "真相甲", "hinted_from": "第2章", "proved_from": None}, None]
    cast = reply("cast")
    cast["characters"][0]["aliases"] = "阿满"
    cast["hooks"][0] |= {"due": "第 3 章", "id": 17, "extra": {}}
    steps = [step("concept", **concept), step("cast", **cast), *ZH.opening()[2:3], NOTHING]
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish())
    model.done()
    book = book_of(tmp_path)
    assert "真相甲" in (book.read("secrets.md") or "")
    assert "一条规则" in (book.read("story_bible.md") or "")
    foundation = json.loads(book.read("records/foundation.json") or "")
    assert (foundation["hooks"][0]["id"], foundation["hooks"][0]["due"]) == ("H1", 3)


def test_a_cast_without_a_name_is_asked_again(tmp_path: Path) -> None:
    steps = ZH.opening()
    steps.insert(1, step("cast", characters=[{"role": "主角"}], hooks=[]))
    runner, model = play(tmp_path, steps)
    runner.init_book(ZH.wish())
    model.done()


def test_a_dry_run_calls_nothing_and_writes_nothing(tmp_path: Path) -> None:
    from zencli.pipeline.run_context import Previewed

    runner, model = play(tmp_path, [], dry_run=True)
    with pytest.raises(Previewed) as caught:
        runner.init_book(ZH.wish(instruction=BRIEF))
    assert BRIEF in prompt(caught.value.request)
    assert (model.requests, list(tmp_path.iterdir())) == ([], [])


def test_the_first_call_of_the_dry_run_is_the_one_that_is_sent(tmp_path: Path) -> None:
    from zencli.pipeline.run_context import Previewed

    with pytest.raises(Previewed) as caught:
        play(tmp_path, [], dry_run=True)[0].init_book(ZH.wish())
    runner, model = play(tmp_path, ZH.opening())
    runner.init_book(ZH.wish())
    assert caught.value.request == model.requests[0]
