"""``style learn`` and ``style show``: a sample becomes a section of ``style.md``, and no more."""

from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import Workspace, book_of, files_of, four_calls, play, prompt, prose, step

from zencli.errors import UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.params import Audit, Undo, WriteNext
from zencli.pipeline.run_context import Previewed
from zencli.pipeline.style.style_params import StyleLearn, StyleShow
from zencli.pipeline.style.style_results import StyleResult
from zencli.prose.fingerprint import FEATURES
from zencli.prose.style_block import parse_block

VOICE = "短句起头，长句收。先写手上的动作，再写话；不解释。"


def sample(folder: Path, name: str = "样本.txt", times: int = 1) -> Path:
    """The sample book's own chapters as a text to learn from."""
    path = folder / name
    text = "\n\n".join(f"第{n}章 风\n\n{prose(n)}" for n in (1, 2, 3))
    path.write_text(text * times, encoding="utf-8")
    return path


def learn(root: Path, file: Path, *steps: Step, **options: Any) -> StyleResult:
    runner, model = play(root, steps, **options)
    result = runner.style_learn(StyleLearn(file=str(file), no_llm=not steps))
    model.done()
    return result


def style_of(root: Path) -> str:
    return (book_of(root).path / "style.md").read_text(encoding="utf-8")


def test_learning_adds_one_section_and_leaves_the_rest(workspace: Workspace) -> None:
    root = workspace(1)
    before, others = style_of(root), files_of(book_of(root).path)
    result = learn(root, sample(root))
    after = style_of(root)
    assert after.startswith(before.rstrip())
    assert "## 样文" in after
    assert (result.changed, result.source, result.unit) == (True, "样本.txt", "chars")
    assert [f.name for f in result.features] == list(FEATURES)
    learnt = parse_block(after)
    assert learnt is not None
    for feature in result.features:
        assert learnt.means[feature.name] == pytest.approx(feature.mean, abs=0.006)
    now = files_of(book_of(root).path)
    changed = {path for path in now if now[path] != others.get(path)}
    assert changed <= {"style.md", "records/files.json"}


def test_learning_again_rewrites_that_section_alone(workspace: Workspace) -> None:
    root = workspace(0)
    learn(root, sample(root))
    path = book_of(root).path / "style.md"
    own = "## 我的话\n\n不许用“仿佛”。\n"
    path.write_text(
        f"# 文风\n\n冷。\n\n{style_of(root)[style_of(root).index('## 样文') :]}\n{own}", "utf-8"
    )
    learn(root, sample(root, "另一份.md", 2))
    text = style_of(root)
    assert text.startswith("# 文风\n\n冷。\n\n## 样文\n")
    assert text.endswith(own)
    assert text.count("## 样文") == 1
    assert "另一份.md" in text
    assert "样本.txt" not in text
    assert learn(root, sample(root, "另一份.md", 2)).changed is False


def test_it_is_one_run_that_can_be_undone(workspace: Workspace) -> None:
    root = workspace(1)
    before = files_of(book_of(root).path)
    learn(root, sample(root))
    play(root, [])[0].undo(Undo())
    assert files_of(book_of(root).path) == before


def test_a_model_describes_the_voice_and_writer_and_reviser_see_it(workspace: Workspace) -> None:
    root = workspace(0)
    runner, model = play(root, [step("style", voice=VOICE)])
    result = runner.style_learn(StyleLearn(file=str(sample(root))))
    asked = prompt(model.requests[0])
    assert prose(1)[:60] in asked
    assert "第1章" not in asked
    assert "对话：" in asked
    assert result.described == VOICE
    assert VOICE in style_of(root)
    runner, model = play(root, four_calls(1))
    runner.write_next(WriteNext())
    writer = next(r for r in model.requests if r.role == "write")
    assert VOICE in prompt(writer)
    assert "句长" in prompt(writer)


@pytest.mark.parametrize("voice", ["# 标题\n\n- 句长：1（±1）", "> 引文"])
def test_a_description_cant_be_taken_for_a_number_or_a_heading(
    workspace: Workspace, voice: str
) -> None:
    root = workspace(0)
    plain = learn(root, sample(root))
    told = learn(root, sample(root), step("style", voice=voice))
    assert told.features == plain.features
    learnt = parse_block(style_of(root))
    assert learnt is not None
    assert learnt.means["sentence_mean"] == pytest.approx(plain.features[0].mean, abs=0.006)


def test_without_a_usable_description_the_numbers_are_kept(workspace: Workspace) -> None:
    root = workspace(0)
    runner, _ = play(root, [Step("style", '{"voice": ""}'), Step("style", '{"voice": " "}')])
    result = runner.style_learn(StyleLearn(file=str(sample(root))))
    assert result.described == ""
    assert result.changed
    assert any("without a description" in warning for warning in runner.warnings)


def test_a_dry_run_shows_the_call_and_writes_nothing(workspace: Workspace) -> None:
    root = workspace(0)
    before = style_of(root)
    runner, _ = play(root, [], dry_run=True)
    with pytest.raises(Previewed):
        runner.style_learn(StyleLearn(file=str(sample(root))))
    assert runner.style_learn(StyleLearn(file=str(sample(root)), no_llm=True)).changed is False
    assert style_of(root) == before


@pytest.mark.parametrize(
    ("name", "content", "code", "told"),
    [
        ("none.txt", None, "usage.file", "doesn't exist"),
        ("empty.txt", "", "usage.file", "holds no text"),
        ("heading.txt", "第一章 风\n", "usage.sample", "at least 5000"),
        ("short.txt", "他走了。" * 40, "usage.sample", "160 characters; a sample needs at least"),
        ("stopless.txt", "他走过去看见那个人" * 1000, "usage.sample", "has 1 sentence; a sample"),
        ("english.txt", "He went away. " * 4000, "usage.file", "the book is in Chinese"),
        ("image.png", "x", "usage.file", "neither txt, md nor epub"),
    ],
)  # fmt: skip
def test_what_cant_be_learnt_from(
    workspace: Workspace, name: str, content: str | None, code: str, told: str
) -> None:
    root = workspace(0)
    before = files_of(book_of(root).path)
    if content is not None:
        (root / name).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=told) as error:
        learn(root, root / name)
    assert (error.value.code, error.value.exit_code) == (code, 2)
    assert files_of(book_of(root).path) == before
    with pytest.raises(UsageError, match="is a folder"):
        learn(root, root)


def test_show_tells_what_was_learnt_and_the_distance_of_chapters(workspace: Workspace) -> None:
    root = workspace(2)
    runner, _ = play(root, [])
    empty = runner.style_show(StyleShow())
    assert (empty.text, empty.features, empty.chapters) == ("", [], [])
    learn(root, sample(root))
    view = runner.style_show(StyleShow())
    assert view.text in style_of(root)
    assert [c.number for c in view.chapters] == [1, 2]
    assert all(0 <= c.distance < 1 for c in view.chapters)


def test_the_audit_measures_chapters_against_the_sample(workspace: Workspace) -> None:
    root = workspace(1)
    learn(root, sample(root))
    chapter = book_of(root).path / "chapters" / "0001.md"
    runner, _ = play(root, [])

    def far() -> list[str]:
        result = runner.audit(Audit(no_llm=True, chapters="1"))
        found = result.chapters[0].findings
        return [f.description for f in found if f.dimension == "style-distance"]

    assert far() == []
    chapter.write_text("# 一\n\n" + "他走！\n\n“好？”\n\n我看……\n\n" * 200, encoding="utf-8")
    [told] = far()
    assert "样文" in told


def test_a_line_that_the_author_took_out_isnt_compared(workspace: Workspace) -> None:
    root = workspace(0)
    learn(root, sample(root))
    path = book_of(root).path / "style.md"
    lines = [line for line in style_of(root).splitlines() if not line.startswith("- 对话")]
    path.write_text("\n".join(lines), encoding="utf-8")
    learnt = parse_block(style_of(root))
    assert learnt is not None
    assert set(learnt.means) == set(FEATURES) - {"dialogue"}
