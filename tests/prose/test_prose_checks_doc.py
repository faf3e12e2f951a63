"""``docs/checks.md`` says what the code does."""

from pathlib import Path

from checks_doc import PAGE, with_table

from zencli.pipeline.checking.check_settings import check_settings
from zencli.prose.checks import CHECKS
from zencli.prose.messages import MESSAGES
from zencli.prose.thresholds import THRESHOLDS


def test_the_page_has_the_table_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "run tests/prose/checks_doc.py"


def test_every_threshold_belongs_to_a_check_and_every_check_is_described() -> None:
    assert {name.partition(".")[0] for name in THRESHOLDS} <= CHECKS.keys()
    assert all(len(check.measure) > 30 for check in CHECKS.values())
    assert all(both[n] for both in MESSAGES.values() for n in ("zh", "en"))


def test_the_example_of_the_page_is_taken() -> None:
    import tomllib

    text = PAGE.read_text(encoding="utf-8")
    example = tomllib.loads(text.split("```toml\n")[1].split("```")[0])
    taken = check_settings(example)
    assert taken.disabled == {"unknown-name", "style-distance"}
    assert taken.thresholds == {"ai-typical.warn": 6.0, "sentence-variation.warn": 0.4}
    assert taken.words.added == ("灵气复苏",)
    assert taken.words.removed == {"仿佛", "一丝"}


def test_a_fault_of_every_kind_is_planted_somewhere() -> None:
    here = Path(__file__).parent
    planted = "".join(
        (here / f"test_prose_{n}.py").read_text("utf-8") for n in ("checks", "planted")
    )
    assert [check for check in CHECKS if f'"{check}"' not in planted] == []
