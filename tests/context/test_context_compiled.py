"""Compiled templates are kept between processes, and nothing depends on what is kept."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from zencli.context.prompts import Prompts

Kept = Callable[[], list[Path]]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """The files in a cache of its own."""
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "cache"))
    return lambda: sorted((tmp_path / "cache" / "templates").glob("*"))


def asked(*folders: Path) -> str:
    return Prompts("en", folders).render("reask", problems=["a gap"])


def test_a_shipped_template_is_kept_and_renders_the_same(kept: Kept) -> None:
    first = asked()
    assert len(kept()) == 1
    before = kept()[0].stat().st_mtime_ns
    assert asked() == first
    assert kept()[0].stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", [b"", b"cut", b"0" * 64 + b"no code"])
def test_a_damaged_file_costs_nothing_but_time(kept: Kept, harm: bytes) -> None:
    first, whole = asked(), kept()[0].read_bytes()
    kept()[0].write_bytes(harm or whole[:-5])
    assert asked() == first
    assert kept()[0].read_bytes() == whole


def test_what_others_may_write_is_made_anew(kept: Kept) -> None:
    first = asked()
    kept()[0].chmod(0o666)
    assert asked() == first
    assert kept()[0].stat().st_mode & 0o022 == 0


def test_without_a_place_to_keep_them_templates_render(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "file"))
    assert "a gap" in asked()


def test_an_edit_of_the_authors_template_holds_at_once(kept: Kept, tmp_path: Path) -> None:
    own = tmp_path / "book" / "prompts" / "en" / "reask.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("one {{ problems[0] }}")
    assert asked(tmp_path / "book") == "one a gap"
    old = own.stat()
    own.write_text("two {{ problems[0] }}")
    os.utime(own, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert asked(tmp_path / "book") == "two a gap"
    assert not kept()
