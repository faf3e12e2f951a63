"""The same work in English, and for models with a small window."""

import json
from pathlib import Path

import pytest
from pipeline_helpers import CLEAN, files_of, prompt, roles, step
from scripts import Script

from zencli.llm.profiles import PROFILES
from zencli.llm.scripted import ScriptedModel, Step
from zencli.pipeline.params import Audit, Revise, ReviseMode, WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir

EN = Script("en")
HAN = range(0x4E00, 0xA000)
SETTLE = EN.chapter(1)[3]


def play(root: Path, steps: list[Step]) -> tuple[Runner, ScriptedModel]:
    model = EN.model(steps)
    return Runner(root, model=model), model


def prose() -> str:
    return EN.read("0001.write.txt").strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The English sample with one chapter."""
    runner, _ = play(tmp_path, [*EN.opening(), *EN.chapter(1)])
    runner.init_book(EN.wish())
    runner.write_next(WriteNext())
    return tmp_path


def test_the_english_novella_is_written_from_beginning_to_end(tmp_path: Path) -> None:
    last = EN.meta["target_chapters"]
    runner, model = play(tmp_path, EN.opening() + EN.chapters(1, last))
    book = runner.init_book(EN.wish())
    result = runner.write_next(WriteNext(until=last))
    model.done()
    assert book.book_id == "by-the-board"
    assert [(c.status, c.unit) for c in result.chapters] == [("passed", "words")] * last
    assert [c.revised for c in result.chapters] == [0, 1, 1]


def test_the_writer_is_shown_the_places_of_the_plan_however_they_are_written(
    tmp_path: Path,
) -> None:
    runner, model = play(tmp_path, [*EN.opening(), *EN.chapter(1)])
    runner.init_book(EN.wish())
    runner.write_next(WriteNext())
    plan, write = (next(r for r in model.requests if r.role == role) for role in ("plan", "write"))
    places = [f"- {place}: " for place in ("Engine house", "Keeper's house", "Ivy Orbell's yard")]
    assert all(place in prompt(plan) for place in places)
    assert all(place in prompt(write) for place in places)
    assert "- Slacker: " not in prompt(write)


def test_no_chinese_gets_into_an_english_book_or_its_prompts(root: Path) -> None:
    runner, model = play(root, EN.chapter(2))
    runner.write_next(WriteNext())
    texts = [prompt(request) for request in model.requests]
    texts += [data.decode() for data in files_of(root / "books").values()]
    assert len(texts) > 10
    for text in texts:
        assert not any(ord(letter) in HAN for letter in text)


def test_a_long_english_book_has_arcs_that_cover_it(tmp_path: Path) -> None:
    concept, cast, _, _ = EN.opening()
    arcs = [{"title": "One", "first": 1, "last": 2}, {"title": "Two", "first": 3, "last": 20}]
    entries = [{"number": n, "event": f"event {n}"} for n in (1, 2)]
    steps = [
        concept,
        cast,
        step("structure", volumes=[{"title": "I", "arcs": arcs[:1]}]),
        step("structure", volumes=[{"title": "I", "arcs": arcs}]),
        step("outline", chapters=entries[:1]),
        step("outline", chapters=entries),
        step("reconcile", problems=[]),
    ]
    runner, model = play(tmp_path, steps)
    runner.init_book(EN.wish(target_chapters=20))
    model.done()
    assert "20" in model.requests[3].messages[-1].content


QUOTE = prose().split("\n\n")[1]


@pytest.mark.parametrize("mode", ["spot-fix", "polish", "rewrite", "rework", "anti-detect"])
def test_every_mode_of_revision_works_in_english(root: Path, mode: ReviseMode) -> None:
    new = prose().replace(QUOTE, QUOTE + " She waited.")
    steps: dict[str, list[Step]] = {
        "spot-fix": [step("spot_fix", patches=[{"old": QUOTE, "new": QUOTE + " She waited."}])],
        "polish": [Step("polish", new)],
        "rewrite": [Step("rewrite", new), CLEAN],
        "rework": [step("replan", **json.loads(EN.read("0001.plan.json"))), Step("rework", new)],
        "anti-detect": [Step("anti_detect", new)],
    }
    steps["rework"].append(CLEAN)
    runner, model = play(root, [*steps[mode], SETTLE])
    result = runner.revise(Revise(mode=mode, instruction="Let her wait a moment."))
    assert (result.applied, result.unit) == (True, "words"), result.reason
    model.done()
    assert BookDir(root / "books" / "by-the-board").chapter(1)[1] == new


def test_cut_and_too_short_chapters_are_gone_on_with_and_lengthened(root: Path) -> None:
    plan, *_, settle = EN.chapter(2)
    text = EN.read("0002.write.txt").strip()
    short = text[: text.index(". ", len(text) // 2) + 1]
    pieces = [Step("write", short[:1000], "length"), Step("continue", short[1000:])]
    runner, model = play(root, [plan, *pieces, CLEAN, Step("normalise", text), settle])
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert roles(model) == ["plan", "write", "continue", "audit", "normalise", "settle"]
    assert chapter.status == "passed"
    assert BookDir(root / "books" / "by-the-board").chapter(2)[1] == text


def test_an_unreadable_english_audit_is_asked_again_in_english(root: Path) -> None:
    runner, model = play(root, [Step("audit", "Looks good to me!"), CLEAN])
    assert runner.audit(Audit()).chapters[0].verdict == "passed"
    again = model.requests[1].messages[-1].content
    assert again
    assert not any(ord(letter) in HAN for letter in again)


def small_steps(script: Script) -> list[Step]:
    """The sample's calls as a model with a small window makes them.

    Outlines come two by two, and warnings aren't mended.
    """
    chapters = json.loads(script.read("outline.json"))["chapters"]
    pairs = [step("outline", chapters=chapters[n : n + 2]) for n in range(0, len(chapters), 2)]
    concept, cast, _, reconcile = script.opening()
    steps = [concept, cast, pairs[0], reconcile]
    for number in range(1, len(chapters) + 1):
        if number > 2 and number % 2 == 1:
            steps.append(pairs[number // 2])
        critical = '"critical"' in script.read(f"{number:04d}.audit.json")
        steps += [s for s in script.chapter(number) if critical or s.role != "spot_fix"]
    return steps


@pytest.mark.parametrize(
    ("language", "profile", "output"), [("en", "embedded", 1_536), ("zh", "ollama", 800)]
)
def test_prompts_follow_the_window_of_a_small_model(
    tmp_path: Path, language: str, profile: str, output: int
) -> None:
    """``output``: tokens of the window that must be left for the reply."""
    script, small = Script(language), PROFILES[profile]
    model = script.model(small_steps(script), profile=small)
    runner = Runner(tmp_path, model=model)
    runner.init_book(script.wish())
    runner.write_next(WriteNext(until=script.meta["target_chapters"]))
    model.done()
    assert small.window == 8_192
    for request in model.requests:
        assert request.estimate(small) + output <= small.window, request.role
