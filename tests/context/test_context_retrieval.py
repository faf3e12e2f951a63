"""Finding what the chapters so far say of somebody, as they are now and no later."""

import sqlite3
from pathlib import Path

import pytest
from planted import Planted, pack_of, shared

from zencli.context.names import Named, Names, with_parts
from zencli.context.passages import (
    LONGEST,
    Passage,
    PassageIndex,
    ask_passages,
    passage_spans,
)
from zencli.store.cache import CACHE, LEAST
from zencli.store.layout import BookDir
from zencli.store.records import Records
from zencli.story.book import Language
from zencli.story.delta import Delta, Fact
from zencli.story.plan import Plan

LAST = LEAST + 8


def digests(book: BookDir) -> dict[int, str]:
    return {number: facts.digest for number, facts in Records.of(book).facts.items()}


def found(book: BookDir, term: str, before: int = LAST + 1, language: Language = "zh") -> list[int]:
    """The chapters that the index finds a term in."""
    places = ask_passages(book, language, digests(book), lambda index: index.find(term, before))
    assert places is not None
    return sorted({number for number, _ in places})


@pytest.mark.parametrize("last", [5, LAST])
def test_a_name_of_two_chinese_characters_is_found(tmp_path: Path, last: int) -> None:
    prose = {2: "那天沈砚没有来。", 4: "砚台在沈家。", 5: "“沈砚！”他喊。"}
    book = Planted(prose=prose).write(tmp_path, last)
    assert found(book, "沈砚") == [2, 5]
    assert (book.path / CACHE / "passages.sqlite").exists() is (last >= LEAST)


def test_english_names_are_found_with_possessives_and_as_whole_words(tmp_path: Path) -> None:
    prose = {
        1: "It was Mara's boat.",
        2: "A maraschino cherry.",
        3: "James’s coat hung there, and James’ hat.",
        4: "O’Brien waited.",
    }
    book = Planted("en", prose=prose).write(tmp_path, 4)
    assert found(book, "Mara", language="en") == [1]
    assert found(book, "James", language="en") == [3]
    assert found(book, "O'Brien", language="en") == [4]


def test_no_chapter_from_the_one_at_work_on_is_found(tmp_path: Path) -> None:
    book = Planted(prose=dict.fromkeys(range(1, LAST + 1), "铜铃响了。")).write(tmp_path, LAST)
    for before in (1, 2, 20, LAST + 1):
        assert found(book, "铜铃", before) == list(range(1, before))


def test_the_index_follows_chapters_that_change_come_and_go(tmp_path: Path) -> None:
    planted = Planted(prose={3: "沈砚来了。"})
    book = planted.write(tmp_path, LAST)
    assert found(book, "沈砚") == [3]
    planted.prose = {3: "来的是裴照。", LAST + 1: "裴照又来了。"}
    planted.chapter(book, 3)
    planted.chapter(book, LAST + 1)
    assert (found(book, "沈砚"), found(book, "裴照", LAST + 9)) == ([], [3, LAST + 1])
    (book.path / book.record_file(3)).unlink()
    assert found(book, "裴照", LAST + 9) == [LAST + 1]
    planted.chapter(book, 3)
    assert found(book, "裴照", LAST + 9) == [3, LAST + 1]


def test_a_text_that_was_edited_since_is_not_quoted(tmp_path: Path) -> None:
    book = Planted(prose={3: "沈砚来了。"}).write(tmp_path, LAST)

    def look(index: PassageIndex) -> list[Passage | None]:
        place = index.find("沈砚", LAST)[0]
        before = index.passage(*place)
        Planted.put(book, book.chapter_file(3), "# 第 3 章\n\n没有人来。\n")
        return [before, index.passage(*place)]

    told = ask_passages(book, "zh", digests(book), look)
    assert told == [Passage(3, "沈砚来了。"), None]


@pytest.mark.parametrize("harm", [b"", b"not a database" * 99, None])
def test_a_harmed_index_is_made_anew(tmp_path: Path, harm: bytes | None) -> None:
    book = Planted(prose={3: "沈砚来了。"}).write(tmp_path, LAST)
    assert found(book, "沈砚") == [3]
    path = book.path / CACHE / "passages.sqlite"
    if harm is None:
        data = bytearray(path.read_bytes())
        data[2000:6000] = bytes(4000)
        path.write_bytes(data)
    else:
        path.write_bytes(harm)
    assert found(book, "沈砚") == [3]


def test_harm_that_only_shows_while_it_is_asked_is_mended_too(tmp_path: Path) -> None:
    book = Planted(prose={3: "沈砚来了。"}).write(tmp_path, LAST)
    asked: list[int] = []

    def ask(index: PassageIndex) -> int:
        asked.append(index.chapters)
        if len(asked) == 1:
            raise sqlite3.DatabaseError("malformed")
        return len(index.find("沈砚", LAST))

    assert ask_passages(book, "zh", digests(book), ask) == 1
    assert asked == [LAST, LAST]


def test_an_index_that_another_process_holds_is_left_alone(tmp_path: Path) -> None:
    book = Planted(prose={3: "沈砚来了。"}).write(tmp_path, LAST)
    assert found(book, "沈砚") == [3]
    path = book.path / CACHE / "passages.sqlite"
    kept = path.stat().st_ino
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert found(book, "沈砚") == [3]
    finally:
        holder.close()
    assert path.stat().st_ino == kept


def test_an_index_that_cannot_be_written_is_done_in_memory(tmp_path: Path) -> None:
    book = Planted(prose={3: "沈砚来了。"}).write(tmp_path, LAST)
    (book.path / CACHE / "passages.sqlite").mkdir(parents=True)
    assert found(book, "沈砚") == [3]


def test_passages_are_whole_and_about_as_long_as_they_may_be() -> None:
    short, long = "他走了。", "雨下了一夜。" * 60
    prose = "\n\n".join([*[short] * 30, long, short])
    spans = passage_spans(prose, "zh")
    texts = [prose[a:b] for a, b in spans]
    assert "".join("".join(texts).split()) == "".join(prose.split())
    assert max(map(len, texts)) <= LONGEST["zh"]
    assert all(text.endswith("。") for text in texts)
    assert len(texts) < 8


def test_who_is_named_is_told_by_the_longest_name() -> None:
    names = Names(
        {"林晚": "林晚", "林晚秋": "林晚秋", "阿晚": "林晚", "砚": "沈砚", "沈砚": "沈砚"}
    )
    assert names.mentioned("林晚秋带来了沈砚。") == ["林晚秋", "沈砚"]
    assert names.mentioned("阿晚和林晚秋在砚台边。") == ["林晚", "林晚秋"]
    assert names.aliases("林晚") == ["林晚", "阿晚"]


def test_english_names_are_told_from_words_that_contain_them() -> None:
    names = Names({"Will": "Will", "the Reeve": "Aldous", "Aldous": "Aldous", "James": "James"})
    text = "The Reeve will not. James’s hat, Willow's ring, Aldous' chain."
    assert names.mentioned(text) == ["Aldous", "James"]
    assert names.mentioned("Will's") == ["Will"]


def test_things_are_found_in_a_text_whatever_their_case_and_possessive() -> None:
    named = Named("The Crow's foot and Ivy’s lantern. 她把铜铃挂在桥头。")
    for thing in ("crow's foot", "lantern", "Ivy", "铜铃", "桥头"):
        assert thing in named, thing
    for thing in ("foot and lantern", "ivy lanterns", "铃铜", ""):
        assert thing not in named, thing


def test_old_facts_and_passages_come_with_their_chapter_and_nothing_comes_twice(
    tmp_path: Path,
) -> None:
    quote = "铜铃是祖父铸的，铸了三年。"
    prose = {4: quote, 7: "有人在雾里摇铜铃，摇了一整夜，天亮时铃舌断了。"}
    facts = [Fact(about="铜铃", says="祖父铸了三年", quote=quote)]
    crowd = [Fact(about=f"甲{n}", says="很长的一件不相干的事情" * 4, quote="x") for n in range(200)]
    deltas = {4: Delta(summary="w", facts=facts), 20: Delta(summary="w", facts=crowd)}
    book = Planted(deltas=deltas, prose=prose).write(tmp_path, 30)
    told = shared(pack_of(book, 31), Plan(purpose="她去找铜铃"))
    assert "祖父铸了三年（第 4 章：「铜铃是祖父铸的，铸了三年。」）" in told
    assert "第 7 章：有人在雾里摇铜铃" in told
    assert told.count("铸了三年。") == 1, "the passage is the quotation again"


def test_a_rare_thing_outweighs_a_name_that_is_everywhere(tmp_path: Path) -> None:
    prose = {n: f"阿满走过第{n}座桥，没有停。" for n in range(1, 31)}
    prose[12] = "阿满把缺角的玉佩埋在桥下。"
    fact = Delta(facts=[Fact(about="玉佩", says="缺一角", quote="缺角的玉佩")])
    files = {"characters/a.md": "# 阿满\n\n渔家女。\n"}
    book = Planted(deltas={12: fact}, prose=prose, files=files).write(tmp_path, 30)
    pack = pack_of(book, 31)
    needs = pack.needs(Plan(cast=["阿满"], purpose="她想起那块玉佩"))
    taken = next(s for s in needs.sections if s.name == "passages").taken
    assert taken[0].why == "chapter 12 speaks of 阿满, 玉佩"
    assert len({item.why for item in taken}) == len(taken) > 3, "one a chapter"
    assert "第30座桥" not in needs.text, "the page before is in the prompt already"


def test_in_english_a_first_name_or_a_surname_is_enough_unless_two_people_share_it() -> None:
    people = ("Isa Rennie", "Peter Gow", "Sergeant Baikie", "Ann Gow", "阿满")
    names = Names(with_parts({name: name for name in people}))
    assert names.mentioned("Isa rang Baikie; 阿满 slept") == [
        "Isa Rennie",
        "Sergeant Baikie",
        "阿满",
    ]
    assert names.mentioned("Gow went out with the sergeant. Sergeant!") == []
    assert names.mentioned("Peter came, and Ann Gow") == ["Peter Gow", "Ann Gow"]
    assert names.canonical("Isa") == "Isa Rennie"
