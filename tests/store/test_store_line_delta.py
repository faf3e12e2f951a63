"""Large contents are kept as what changed in them, and come back whole."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.errors import DamagedError
from zencli.store.history import OBJECTS, content, digest_of, object_path, revisions
from zencli.store.layout import BookDir
from zencli.store.line_delta import HEAD_LENGTH, Head, head, packed, unpacked
from zencli.store.transaction import Transaction

REST = Head("0" * 64, 7)
texts = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c 1 2\n", b"+ 3\n", b"x", b"\r", b"\0"]))


@given(texts.map(b"".join), texts.map(b"".join))
def test_a_packed_content_comes_back(old: bytes, new: bytes) -> None:
    stored = packed(old, new, REST)
    assert unpacked(old, stored) == new
    assert head(stored[:HEAD_LENGTH]) == REST


@given(st.binary(), st.binary(max_size=120))
def test_what_is_no_delta_is_refused_or_another_content(old: bytes, stored: bytes) -> None:
    assert head(stored) is None
    with pytest.raises(ValueError, match="delta"):
        unpacked(old, stored)


def test_a_small_change_is_small() -> None:
    old = b"".join(b"line %d\n" % n for n in range(10_000))
    new = old.replace(b"line 500\n", b"changed\n") + b"one more\n"
    assert len(packed(old, new, REST)) < 200


REVISIONS = 410


def grown(book: BookDir) -> Iterator[bytes]:
    """Commits a file that changes in a few of its thousand lines each time."""
    pick = random.Random(7)
    lines = [b"%032x\n" % pick.getrandbits(128) for _ in range(1500)]
    for run in range(REVISIONS):
        lines[pick.randrange(len(lines))] = b"%032x\n" % pick.getrandbits(128)
        lines.insert(pick.randrange(len(lines)), b"chapter %d\n" % run)
        transaction = Transaction(book, "write-next", f"run-{run}")
        transaction.write("state.md", b"".join(lines))
        transaction.commit()
        yield b"".join(lines)


def test_every_revision_of_a_large_file_is_kept_in_a_fraction_of_its_size(book: BookDir) -> None:
    contents = list(grown(book))
    assert [r.digest for r in revisions(book, "state.md")] == [digest_of(c) for c in contents]
    for data in contents:
        assert content(book, digest_of(data)) == data
    kept = sum(path.stat().st_size for path in (book.path / OBJECTS).iterdir())
    assert kept < sum(map(len, contents)) / 50


def test_a_large_file_edited_by_hand_is_kept_too(book: BookDir) -> None:
    first = next(grown(book))
    mine = first.replace(b"chapter 0\n", b"mine\n")
    (book.path / "state.md").write_bytes(mine)
    transaction = Transaction(book, "write-next", "run-2")
    transaction.write("state.md", first + b"more\n")
    transaction.commit()
    for data in (first, mine, first + b"more\n"):
        assert content(book, digest_of(data)) == data


def test_what_rests_on_a_lost_content_is_told_and_the_rest_is_there(book: BookDir) -> None:
    contents = list(grown(book))
    whole = [
        index
        for index, data in enumerate(contents)
        if head(object_path(book, digest_of(data)).read_bytes()) is None
    ]
    assert len(whole) > 2
    object_path(book, digest_of(contents[whole[1]])).unlink()
    with pytest.raises(DamagedError):
        content(book, digest_of(contents[whole[1] + 1]))
    for index in (whole[1] - 1, whole[2], whole[2] + 1):
        assert content(book, digest_of(contents[index])) == contents[index]
    rest = object_path(book, digest_of(contents[1]))
    rest.write_bytes(packed(contents[0], contents[1], Head(rest.name, 1)))
    with pytest.raises(DamagedError):
        content(book, rest.name)
