"""What the auditor looks for: by genre, language and author's choice, and in long chapters."""

from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_helpers import (
    BOOK,
    CLEAN,
    Breaking,
    Workspace,
    book_of,
    files_of,
    finding,
    four_calls,
    play,
    prompt,
    prose,
    reply,
    roles,
    step,
)

from zencli.context.canon import Canon
from zencli.context.prompts import Prompts
from zencli.errors import ModelError, UsageError
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.auditing.audit_findings import combined, merged_parts
from zencli.pipeline.auditing.audit_groups import dimension_of, every_group, groups_for
from zencli.pipeline.auditing.audit_parts import PART_TOKENS, WINDOW_SHARE, parts_of
from zencli.pipeline.params import Audit, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner
from zencli.prose.segment import paragraphs
from zencli.story.book import AuditSwitches, BookConfig, Language
from zencli.story.findings import Finding, Severity
from zencli.story.state import State

QUOTE = "声音钻过桥洞，撞到对岸的墙上"
GROUPS = ["continuity", "plot", "character", "prose", "genre"]
PROFILE = Profile(name="scripted", window=131_072, tokens_per_cjk=0.64)


def config(root: Path, **changes: object) -> BookConfig:
    return book_of(root).config().model_copy(update=changes)


def state_before(root: Path, number: int) -> State:
    return Canon.load(book_of(root)).state_before(number)


def choose(root: Path, table: str) -> None:
    """The author's [audit] in book.toml."""
    path = book_of(root).path / "book.toml"
    path.write_text(path.read_text("utf-8").rstrip() + f"\n\n[audit]\n{table}\n", "utf-8")


def ids(chosen: BookConfig, language: Language = "zh") -> list[str]:
    return [d.id for group in groups_for(Prompts(language), chosen) for d in group.dimensions]


# --- which dimensions --------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_five_groups_are_the_same_in_both_languages(language: Language) -> None:
    groups, other = every_group(Prompts(language)), every_group(Prompts("zh"))
    assert [group.id for group in groups] == GROUPS
    assert [[d.id for d in g.dimensions] for g in groups] == [
        [d.id for d in g.dimensions] for g in other
    ]


def test_a_genre_brings_dimensions_of_its_own(workspace: Workspace) -> None:
    root = workspace(0)
    mystery, xianxia = (set(ids(config(root, genre=g))) for g in ("mystery", "xianxia"))
    assert ("clues" in mystery, "clues" in xianxia) == (True, False)
    assert ("power" in mystery, "power" in xianxia) == (False, True)
    assert {"continuity", "plan", "voice", "clarity"} <= mystery & xianxia


def test_the_author_turns_groups_and_dimensions_on_and_off(workspace: Workspace) -> None:
    chosen = AuditSwitches(off=("prose", "voice"), on=("power",))
    got = ids(config(workspace(0), audit=chosen))
    assert not {"prose", "clarity", "voice"} & set(got)
    assert {"power", "character", "continuity"} <= set(got)


def test_what_was_turned_off_isnt_asked_for(workspace: Workspace) -> None:
    root = workspace(1)
    choose(root, 'off = ["genre", "prose"]')
    runner, model = play(root, [CLEAN])
    runner.audit(Audit())
    task = prompt(model.requests[0]).split(prose(1))[1]
    assert "跟不上" not in task
    assert "这个题材先查" not in task, "the notes go with their dimension"
    assert "对不上" in task


@pytest.mark.parametrize(
    "table", ['off = ["poetry"]', 'on = ["poetry"]', "off = " + str(GROUPS).replace("'", '"')]
)
@pytest.mark.parametrize("verb", ["audit", "write"])
def test_a_wrong_choice_is_refused_before_any_call(
    workspace: Workspace, table: str, verb: str
) -> None:
    root = workspace(1)
    choose(root, table)
    before = files_of(root / "books" / BOOK)
    runner, model = play(root, [])
    with pytest.raises(UsageError) as caught:
        runner.audit(Audit()) if verb == "audit" else runner.write_next(WriteNext())
    assert (caught.value.code, model.requests) == ("usage.config", [])
    assert files_of(root / "books" / BOOK) == before


def test_checks_alone_and_unaudited_chapters_need_no_auditor(workspace: Workspace) -> None:
    root = workspace(1)
    choose(root, 'off = ["poetry"]')
    assert play(root, [])[0].audit(Audit(no_llm=True)).chapters


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_dimension_is_known_by_its_word_and_by_its_id(language: Language) -> None:
    groups = every_group(Prompts(language))
    for group in groups:
        for dimension in group.dimensions:
            assert dimension_of(f" {dimension.name.upper()} ", groups) == dimension.id
            assert dimension_of(dimension.id, groups) == dimension.id
    assert dimension_of("韵脚", groups) == "other"


def test_an_author_may_add_a_dimension_of_his_own(workspace: Workspace) -> None:
    root = workspace(1)
    own = book_of(root).path / "prompts" / "zh" / "audit_dimensions.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("## craft 手艺\n- knots 绳结：绳结打得对不对。\n", "utf-8")
    told = step("audit", findings=[finding(QUOTE, dimension="绳结")])
    runner, model = play(root, [told])
    chapter = runner.audit(Audit()).chapters[0]
    assert [f.dimension for f in chapter.findings] == ["knots"]
    assert "绳结打得对不对" in prompt(model.requests[0])


def test_the_auditor_reads_plan_cast_state_and_due_hooks(workspace: Workspace) -> None:
    root = workspace(2)
    hooks = book_of(root).path / "hooks.md"
    assert hooks.exists()
    runner, model = play(root, [CLEAN])
    runner.audit(Audit())
    asked = prompt(model.requests[0])
    record = book_of(root).record(2)
    assert record is not None and record.plan is not None
    assert record.plan.purpose in asked
    cards = {c["name"]: c["card"][-20:] for c in reply("cast")["characters"]}
    assert all(cards[name] in asked for name in record.plan.cast if name in cards)
    due = [h for h in state_before(root, 2).hooks.values() if h.unpaid and 0 < h.due <= 4]
    assert due
    for hook in due:
        assert hook.promise in asked
    assert prose(2) in asked


# --- merging -----------------------------------------------------------------------------------


def told(quote: str, source: str, dimension: str, severity: Severity = "warning") -> Finding:
    identifier = f"{source}-{dimension}-{len(quote)}"
    return Finding.model_validate(
        {
            "id": identifier, "source": source, "dimension": dimension, "severity": severity,
            "description": "d", "quote": quote,
        }
    )  # fmt: skip


TEXT = "他深吸一口气，推开了门。她在屋里等着，没有说话。雨停了。"


def test_an_auditor_who_tells_what_a_check_found_tells_nothing_new() -> None:
    check = told("他深吸一口气，推开了门。", "check", "ai-typical")
    auditor = told("深吸一口气", "auditor", "prose")
    assert combined([check], [auditor], [], TEXT) == [check]


def test_the_graver_of_two_stays() -> None:
    check = told("他深吸一口气，推开了门。", "check", "ai-typical")
    auditor = told("深吸一口气，推开了", "auditor", "prose", "critical")
    assert combined([check], [auditor], [], TEXT) == [auditor]


@pytest.mark.parametrize(
    "auditor",
    [
        told("深吸一口气", "auditor", "continuity"),
        told("她在屋里等着", "auditor", "prose"),
        told("了门。她在屋里等着，没有说话", "auditor", "prose"),
    ],
    ids=["another kind", "another place", "hardly the same place"],
)
def test_another_fault_stays_beside_it(auditor: Finding) -> None:
    check = told("他深吸一口气，推开了门。", "check", "ai-typical")
    assert combined([check], [auditor], [], TEXT) == [check, auditor]


def test_two_checks_of_one_kind_at_one_place_are_two_findings() -> None:
    one, two = told(TEXT[:12], "check", "ai-typical"), told(TEXT[:12], "check", "reused-sentence")
    assert combined([one, two], [], [], TEXT) == [one, two]


def test_a_merged_finding_is_told_once_by_an_audit(workspace: Workspace) -> None:
    root = workspace(1)
    rules = book_of(root).path / "rules.md"
    rules.write_text(rules.read_text("utf-8").rstrip() + "\n- 桥洞\n", "utf-8")
    place = step("audit", findings=[finding(QUOTE, dimension="文字", severity="warning")])
    chapter = play(root, [place])[0].audit(Audit()).chapters[0]
    assert [f.source for f in chapter.findings if QUOTE in f.quote or f.quote in QUOTE] == ["check"]


# --- long chapters -----------------------------------------------------------------------------


def long_prose(times: int) -> str:
    """A chapter too long to be judged at once, no two paragraphs alike."""
    pieces = [f"{n}号船" + p for n in range(times) for p in paragraphs(prose(1))]
    return "\n\n".join(pieces)


@given(
    st.lists(st.integers(1, 900) | st.integers(1, 30), min_size=1, max_size=60),
    st.integers(1_024, 30_000),
)
@settings(max_examples=60, deadline=None)
def test_parts_hold_every_paragraph_whole_and_overlap(sizes: list[int], window: int) -> None:
    letters = (chr(0x4E00 + n % 20_000) for n in count())
    text = "\n\n".join(f"{i}{''.join(islice(letters, n))}。" for i, n in enumerate(sizes))
    profile = Profile(name="p", window=window, tokens_per_cjk=1.0)
    parts = parts_of(text, "zh", profile)
    assert all(part in text for part in parts)
    size = min(PART_TOKENS, window // WINDOW_SHARE)
    if estimate_tokens(text, profile) <= size:
        assert parts == [text]
        return
    for i, paragraph in enumerate(paragraphs(text)):
        if len(paragraph) <= size // 3:
            assert any(paragraph in part for part in parts), i
    ends = [text.index(part) + len(part) for part in parts]
    starts = [text.index(part) for part in parts]
    pairs = list(zip(starts[1:], ends, strict=False))
    assert not any(text[end:start].strip() for start, end in pairs), "nothing is left out"
    if max(map(len, paragraphs(text))) < size // 8:
        assert all(start < end for start, end in pairs), "parts overlap"
    assert ends == sorted(ends) and ends[-1] == len(text)


def test_a_text_without_stops_is_judged_in_parts_as_well() -> None:
    text = "他走过去看见那个人" * 5_000
    parts = parts_of(text, "zh", PROFILE)
    assert max(estimate_tokens(part, PROFILE) for part in parts) <= PART_TOKENS
    assert len("".join(parts)) > len(text)
    assert text.endswith(parts[-1])


def test_a_long_chapter_is_judged_in_parts_and_a_fault_in_the_overlap_counts_once(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    text = long_prose(6)
    (book_of(root).path / "chapters" / "0001.md").write_text(f"# 报水\n\n{text}\n", "utf-8")
    parts = parts_of(text, "zh", PROFILE)
    assert len(parts) > 1
    shared = parts[1][:40]
    assert shared in parts[0]
    both = finding(shared[:30], dimension="人物", problem="甲")
    again = finding(shared[:26], dimension="人物", problem="乙", severity="warning")
    steps = [step("audit", findings=[both]), step("audit", findings=[again])]
    steps += [CLEAN] * (len(parts) - 2)
    runner, model = play(root, steps)
    chapter = runner.audit(Audit()).chapters[0]
    model.done()
    mine = [f for f in chapter.findings if f.source == "auditor"]
    assert [(f.description, f.severity) for f in mine] == [("甲", "critical")]
    for request, part in zip(model.requests, parts, strict=True):
        assert part in prompt(request)
        assert f"分 {len(parts)} 段查" in prompt(request)
    assert parts[-1] not in prompt(model.requests[0])


def test_one_unreadable_part_makes_the_chapter_unknown_and_keeps_what_the_others_told(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    text = long_prose(6)
    (book_of(root).path / "chapters" / "0001.md").write_text(f"# 报水\n\n{text}\n", "utf-8")
    parts = parts_of(text, "zh", PROFILE)
    rubbish = Step("audit", "没什么可说的。")
    warned = step("audit", findings=[finding(parts[0][:30], severity="info")])
    runner, model = play(root, [warned, rubbish, rubbish, *[CLEAN] * (len(parts) - 2)])
    chapter = runner.audit(Audit()).chapters[0]
    model.done()
    assert chapter.verdict in ("unknown", "failed")
    assert parts[0][:30] in [f.quote for f in chapter.findings]
    record = book_of(root).record(1)
    assert record is not None
    assert not record.audited


def test_findings_of_two_parts_at_two_places_are_two() -> None:
    one, two = told("推开了门", "auditor", "prose"), told("雨停了", "auditor", "prose")
    assert merged_parts([[one], [two]], TEXT) == [one, two]


# --- endpoints ---------------------------------------------------------------------------------


class Refusing(ScriptedModel):
    """An endpoint that takes no request, as one that is configured wrongly does."""

    code = ""

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        raise ModelError(self.code, "It won't.")


class TooLong(ScriptedModel):
    """A model whose window the first request doesn't fit."""

    refused = False

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if not self.refused:
            self.refused = True
            raise ModelError("llm.context", "The prompt doesn't fit.")
        return super().complete(request, on_text)


@pytest.mark.parametrize("code", ["llm.auth", "llm.quota", "llm.network", "llm.refused"])
def test_a_failing_endpoint_is_no_verdict(workspace: Workspace, code: str) -> None:
    root = workspace(2)
    before = files_of(root / "books" / BOOK)
    model = Refusing([], profile=PROFILE)
    model.code = code
    with pytest.raises(ModelError) as caught:
        Runner(root, model=model).audit(Audit(chapters="1-2"))
    assert (caught.value.code, caught.value.exit_code) == (code, 5)
    assert files_of(root / "books" / BOOK) == before


def test_a_range_goes_on_after_a_chapter_that_doesnt_fit_and_sums_up(workspace: Workspace) -> None:
    root = workspace(3)
    runner = Runner(root, model=TooLong([CLEAN, CLEAN], profile=PROFILE))
    result = runner.audit(Audit(chapters="1-"))
    assert [c.number for c in result.chapters] == [2, 3]
    assert [(left.number, left.code) for left in result.left_out] == [(1, "llm.context")]
    summary = result.summary
    assert (summary.chapters, summary.passed, summary.left_out) == (2, 2, 1)
    assert any("chapter 1 can't be judged" in warning for warning in runner.warnings)


def test_an_unreadable_reply_doesnt_end_a_range(workspace: Workspace) -> None:
    root = workspace(3)
    rubbish = Step("audit", "抱歉。")
    result = play(root, [CLEAN, rubbish, rubbish, CLEAN])[0].audit(Audit(chapters="1-"))
    assert [c.verdict for c in result.chapters] == ["passed", "unknown", "passed"]
    assert (result.summary.passed, result.summary.unknown) == (2, 1)


def test_a_killed_audit_of_a_range_doesnt_pay_twice(workspace: Workspace) -> None:
    root = workspace(3)
    with pytest.raises(PartlyDone):
        Runner(root, model=Breaking([CLEAN, CLEAN], 3)).audit(Audit(chapters="1-"))
    runner, model = play(root, [CLEAN])
    assert len(runner.audit(Audit(chapters="1-")).chapters) == 3
    assert roles(model) == ["audit"]


def test_the_length_score_is_in_the_result(workspace: Workspace) -> None:
    chapter = play(workspace(1), [])[0].audit(Audit(no_llm=True)).chapters[0]
    assert chapter.target_words == 3000
    assert 90 < chapter.length_score <= 100


def test_write_next_and_audit_give_the_same_verdict(workspace: Workspace) -> None:
    """The same findings on the same text, whichever verb asked."""
    root = workspace(0)
    plan, write, _, settle = four_calls(1)
    told_once = step("audit", findings=[finding(QUOTE)])
    written = play(root, [plan, write, told_once, settle])[0].write_next(WriteNext(rounds=0))
    audited = play(root, [told_once], fresh=True)[0].audit(Audit())
    one, other = written.chapters[0], audited.chapters[0]
    assert (one.verdict, one.status, one.findings) == (other.verdict, other.status, other.findings)
