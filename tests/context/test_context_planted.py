"""What was planted hundreds of chapters ago reaches the chapter that needs it, and no other."""

from pathlib import Path

import pytest
from planted import Planted, for_planner, pack_of, shared

from zencli.llm.profiles import Profile
from zencli.story.book import Language
from zencli.story.delta import CharacterChange, Delta, Fact, HookEvent, ItemEvent
from zencli.story.findings import Finding, finding_id
from zencli.story.foundation import FirstHook, Foundation
from zencli.story.plan import HookStep, Plan, Scene

each_language = pytest.mark.parametrize("language", ["zh", "en"])

HOOK = {
    "zh": ("谁在井底敲钟？", "井底传来第三声钟响，没有人下去过。"),
    "en": ("Who rings the bell in the well?", "A third stroke came up from the well."),
}
NAMES: dict[str, tuple[str, str, str]] = {
    "zh": ("顾长风", "顾瘸子", "断刀"),
    "en": ("Corin Hale", "the Limper", "broken sword"),
}
LOST = {"zh": "断刀落进了江里，顾长风没有回头。", "en": "The broken sword sank; Corin let it go."}
CARD = {
    "zh": "# 顾长风\n\n- 别名：顾瘸子\n- 身份：退伍的刀客\n\n说话先咳一声，左腿比右腿短。\n",
    "en": "# Corin Hale\n\n- Also called: the Limper\n- Role: a soldier once\n\nCoughs before "
    "he speaks; his left leg is short.\n",
}
PLACE = {"zh": "雁门关外", "en": "the north gate"}


def noise(language: Language, number: int) -> Delta:
    """What an ordinary chapter changes."""
    who = f"路人{number % 40}" if language == "zh" else f"Passer {number % 40}"
    return Delta(
        summary=f"{who} {number}.",
        time=f"{number}",
        characters=[CharacterChange(name=who, place=f"{number}", quote="x")],
        items=[ItemEvent(owner=who, item=f"{number}", quote="x")],
        facts=[Fact(about=f"{who}{number}", says=f"n{number}", quote="x")],
        hooks=[HookEvent(id="new", do="plant", promise=f"? {number}", quote="x")]
        if number % 3
        else [],
    )


def noisy(language: Language, last: int, planted: dict[int, Delta]) -> dict[int, Delta]:
    return {n: noise(language, n) for n in range(1, last + 1)} | planted


@each_language
def test_a_hook_of_chapter_3_that_is_due_in_900_comes_with_its_sentence(
    tmp_path: Path, language: Language
) -> None:
    promise, sentence = HOOK[language]
    hook = HookEvent(id="new", do="plant", promise=promise, due=900, quote=sentence)
    deltas = noisy(language, 899, {3: Delta(summary="w", hooks=[hook])})
    book = Planted(language, deltas).write(tmp_path, 899)
    told = pack_of(book, 900).story.text
    assert promise in told and sentence in told
    assert told.count(promise) == 1
    assert promise not in pack_of(book, 3).story.text


@pytest.mark.parametrize(("language", "number"), [("zh", 41), ("en", 41), ("zh", 1500)])
def test_a_thing_lost_in_chapter_40_is_told_as_lost_when_its_owner_is_on_stage(
    tmp_path: Path, language: Language, number: int
) -> None:
    name, alias, thing = NAMES[language]
    loss = Delta(
        summary="w",
        items=[ItemEvent(owner=name, item=thing, change="loses", quote=LOST[language])],
    )
    deltas = noisy(language, number - 1, {40: loss})
    planted = Planted(language, deltas, files={"characters/c.md": CARD[language]})
    book = planted.write(tmp_path, number - 1)
    told = shared(pack_of(book, number), Plan(purpose="p", scenes=[Scene(who=[alias])]))
    lost = "失去" if language == "zh" else "loses"
    line = next(line for line in told.splitlines() if thing in line and name in line)
    assert lost in line and "40" in line
    assert sum(thing in line for line in told.splitlines() if line.startswith("- ")) == 1


@each_language
def test_somebody_last_seen_600_chapters_ago_comes_by_an_alias_with_card_and_last_state(
    tmp_path: Path, language: Language
) -> None:
    name, alias, _ = NAMES[language]
    seen = CharacterChange(name=name, place=PLACE[language], quote="x")
    deltas = noisy(language, 699, {99: Delta(summary="w", characters=[seen])})
    planted = Planted(language, deltas, files={"characters/c.md": CARD[language]})
    book = planted.write(tmp_path, 699)
    asked = f"去找{alias}问路" if language == "zh" else f"ask {alias}'s brother the way"
    told = shared(pack_of(book, 700), Plan(purpose=asked, scenes=[Scene(want="w")]))
    card = "左腿比右腿短" if language == "zh" else "his left leg is short"
    assert card in told and PLACE[language] in told and "99" in told
    assert card not in shared(pack_of(book, 700), Plan(purpose="p"))
    wished = pack_of(book, 700, instruction=asked)
    assert card in shared(wished, Plan(purpose="p"))


@each_language
def test_a_fact_of_chapter_80_is_nowhere_in_the_prompt_for_chapter_60(
    tmp_path: Path, language: Language
) -> None:
    name, _, thing = NAMES[language]
    says = "铁匠铺的第七把" if language == "zh" else "the seventh of the forge"
    known = "铜符在庙里" if language == "zh" else "the seal lies in the chapel"
    prose = f"{name}{says}。" if language == "zh" else f"{name} held {says}."
    later = Delta(summary=says, facts=[Fact(about=thing, says=says, quote=prose)])
    early = Delta(summary="w", facts=[Fact(about=thing, says=known, quote="x")])
    deltas = noisy(language, 120, {30: early, 80: later})
    planted = Planted(
        language, deltas, prose={80: prose}, files={"characters/c.md": CARD[language]}
    )
    book = planted.write(tmp_path, 120)
    plan = Plan(purpose=f"{name} {thing}", scenes=[Scene(who=[name])])
    for number, expected in ((60, False), (100, True)):
        pack = pack_of(book, number)
        told = shared(pack, plan) + for_planner(pack)
        assert (says in told) is expected, number
        assert known in told, number


@each_language
def test_a_secret_of_chapter_30_is_in_the_planners_prompt_from_1_and_never_in_the_writers(
    tmp_path: Path, language: Language
) -> None:
    truth = "掌门就是凶手，毒在茶里" if language == "zh" else "the abbot did it, with the tea"
    other = "长老知道一切" if language == "zh" else "the elder knows all of it"
    since = "线索起于：第 30 章" if language == "zh" else "Hinted from: Chapter 30"
    text = f"# S\n\n## S1\n\n- {since}\n\n{truth}\n\n## S2\n\n{other}\n"
    book = Planted(language, files={"secrets.md": text}).write(tmp_path, 60)
    for number in (1, 2, 29, 30, 31, 60):
        pack = pack_of(book, number)
        assert truth in for_planner(pack), number
        assert truth not in shared(pack, Plan(purpose="p")), number


def test_of_many_secrets_the_near_ones_are_told_whole_and_the_others_in_short(
    tmp_path: Path,
) -> None:
    blocks = [
        f"## S{n}\n\n- 线索起于：第 {n * 10} 章\n\n第{n}个秘密的头一句。"
        f"{'细节很多，' * 30}尾巴{n}。\n"
        for n in range(1, 11)
    ]
    text = "# 底牌\n\n" + "\n".join(blocks)
    book = Planted(files={"secrets.md": text}).write(tmp_path, 3)
    told = "\n".join(pack_of(book, 4).secrets())
    assert "尾巴1" in told
    assert "第2个秘密的头一句" in told and "尾巴9" not in told


@each_language
def test_the_writer_sees_no_unshown_hook_and_nobody_who_wasnt_on_the_page(
    tmp_path: Path, language: Language
) -> None:
    name, _, _ = NAMES[language]
    promise = HOOK[language][0]
    foundation = Foundation(hooks=[FirstHook(id="H1", promise=promise, due=9)])
    files = {"characters/c.md": CARD[language]}
    planted = Planted(language, noisy(language, 3, {}), files=files, foundation=foundation)
    book = planted.write(tmp_path, 3)
    pack = pack_of(book, 4)
    assert promise in for_planner(pack) and name in for_planner(pack)
    assert promise not in shared(pack) and name not in shared(pack)
    planting = Plan(hooks=[HookStep(id="H1", do="plant", how="x")])
    assert promise in shared(pack, planting)
    put_off = Plan(hooks=[HookStep(id="H1", do="defer", how="x")])
    assert promise not in shared(pack, put_off)


def test_what_the_auditor_left_in_the_chapter_before_reaches_the_planner_alone(
    tmp_path: Path,
) -> None:
    def finding(dimension: str, severity: str, description: str) -> Finding:
        return Finding(
            id=finding_id("auditor", dimension, description),
            source="auditor",
            dimension=dimension,
            severity=severity,
            description=description,
        )

    found = [
        finding("continuity", "warning", "刀明明丢了"),
        finding("continuity", "info", "小事一件"),
        finding("prose", "warning", "句子太碎"),
        finding("plan", "warning", "线索没给").model_copy(update={"waived": "算了"}),
    ]
    book = Planted(findings={5: found}).write(tmp_path, 6)
    pack = pack_of(book, 6)
    assert pack.for_planner().carried() == ["刀明明丢了"]
    assert "刀明明丢了" not in shared(pack)
    assert pack_of(book, 7).for_planner().carried() == []


def test_the_planner_has_this_chapter_and_the_next_whole_before_the_arc_and_what_follows(
    tmp_path: Path,
) -> None:
    arc = f"### 渡口（第 1-10 章）\n\n- 期待：{'谁先过河' * 90}\n"
    entries = "".join(
        f"\n#### 第 {n} 章\n\n- 事件：第{n}章的事{'他丢了船' * 60}\n- 收在：第{n}章收尾\n"
        for n in range(1, 6)
    )
    book = Planted("zh", files={"outline.md": f"# 大纲\n\n{arc}{entries}"}).write(tmp_path, 2)
    model = Profile(window=128_000, tokens_per_cjk=1.0)
    told = pack_of(book, 3, profile=model).for_planner().outline()
    assert told.index("### 渡口") < told.index("第3章的事") < told.index("第4章的事")
    assert "第3章收尾" in told and "第4章收尾" in told
    assert "第5章收尾" not in told and "第2章的事" not in told


def test_where_not_all_cards_fit_those_who_are_only_spoken_of_are_told_in_short(
    tmp_path: Path,
) -> None:
    people = [f"船工{n}" for n in "甲乙丙丁戊己庚辛壬癸"]
    files = {
        f"characters/{n}.md": f"# {name}\n\n{name}管船。他怕水。{'他只认钱。' * 40}{name}的后话。\n"
        for n, name in enumerate(people)
    }
    book = Planted("zh", files=files).write(tmp_path, 2)
    plan = Plan(purpose=f"说起{'、'.join(people[1:])}", cast=people[:1])
    told = pack_of(book, 3).needs(plan).text
    assert all(f"{name}管船。他怕水。" in told for name in people)
    assert f"{people[0]}的后话" in told and f"{people[1]}的后话" not in told
    alone = pack_of(book, 3).needs(Plan(purpose=f"说起{people[1]}", cast=people[:1])).text
    assert f"{people[1]}的后话" in alone
