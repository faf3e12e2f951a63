"""Finding a book, and making one: at once, or not at all."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from zencli.errors import NotFound, UsageError
from zencli.store.create import Origin, check_free, check_writable, create_book
from zencli.store.disk import Disk
from zencli.store.history import content, revisions, runs
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace

Tree = dict[str, bytes]
Killed = Callable[[Callable[[Disk], object], int], bool]

FILES: dict[str, str | bytes] = {
    "book.toml": 'title = "x"\n',
    "characters/林晚.md": "# 林晚\n",
    "brief.md": b"A brief.\n",
}

ORIGIN = Origin("init-book", "run-1")


def make(workspace: Workspace, *ids: str) -> None:
    for book_id in ids:
        create_book(workspace, book_id, FILES)


def test_the_only_book_needs_no_name(arena: Path) -> None:
    workspace = Workspace(arena)
    make(workspace, "雾中灯塔")
    assert workspace.open(None) == workspace.open("雾中灯塔")
    assert workspace.open(None).path == arena / "books" / "雾中灯塔"


def test_without_a_book_the_hint_is_to_make_one(arena: Path) -> None:
    for book_id in (None, "x"):
        with pytest.raises(NotFound) as caught:
            Workspace(arena).open(book_id)
        assert caught.value.code == "book.not_found"
        assert "init-book" in caught.value.hint


def test_among_several_books_one_must_be_named(arena: Path) -> None:
    workspace = Workspace(arena)
    make(workspace, "b", "a")
    assert workspace.book_ids() == ["a", "b"]
    with pytest.raises(UsageError) as caught:
        workspace.open(None)
    assert caught.value.code == "usage.book"
    assert "a, b" in caught.value.message


def test_an_unknown_id_offers_the_near_ones(arena: Path) -> None:
    workspace = Workspace(arena)
    make(workspace, "lighthouse", "tide")
    with pytest.raises(NotFound) as near:
        workspace.open("lighthuose")
    assert "lighthouse" in near.value.hint
    with pytest.raises(NotFound) as far:
        workspace.open("zzz")
    assert "tide" in far.value.hint


def test_a_folder_without_configuration_is_no_book(arena: Path) -> None:
    (arena / "books/drafts").mkdir(parents=True)
    with pytest.raises(NotFound) as caught:
        Workspace(arena).open("drafts")
    assert caught.value.code == "book.not_found"
    assert "no book.toml" in caught.value.message
    assert Workspace(arena).book_ids() == []


@pytest.mark.parametrize("book_id", ["../x", "a/b", "..", "", "A", "a b", "-a", "\0"])
def test_ids_with_other_letters_are_refused(arena: Path, book_id: str) -> None:
    with pytest.raises(UsageError) as opened:
        Workspace(arena).open(book_id)
    with pytest.raises(UsageError) as created:
        create_book(Workspace(arena), book_id, FILES)
    assert (opened.value.code, created.value.code) == ("usage.book_id", "usage.book_id")


def test_a_workspace_must_be_a_folder(arena: Path) -> None:
    (arena / "file").write_text("x", encoding="utf-8")
    for root in (arena / "nowhere", arena / "file", arena / "file" / "x"):
        with pytest.raises(UsageError) as caught:
            Workspace(root)
        assert caught.value.code == "usage.root"


def test_a_new_book_holds_exactly_its_files(arena: Path, tree: Callable[[Path], Tree]) -> None:
    book = create_book(Workspace(arena), "lighthouse", FILES)
    assert tree(book.path) == {
        "book.toml": b'title = "x"\n',
        "characters/林晚.md": "# 林晚\n".encode(),
        "brief.md": b"A brief.\n",
    }
    assert os.listdir(arena / "books") == ["lighthouse"]


def test_the_history_of_a_new_book_begins_with_its_files(arena: Path) -> None:
    book = create_book(Workspace(arena), "lighthouse", FILES, origin=ORIGIN)
    (made,) = runs(book)
    assert (made.run, made.verb, made.creates) == ("run-1", "init-book", True)
    (book.path / "brief.md").write_text("other")
    (first,) = revisions(book, "brief.md")
    assert first.digest is not None
    assert content(book, first.digest) == b"A brief.\n"


def test_a_taken_id_is_refused_and_the_book_left_alone(arena: Path) -> None:
    workspace = Workspace(arena)
    make(workspace, "lighthouse")
    (arena / "books/empty").mkdir()
    for taken in ("lighthouse", "empty"):
        with pytest.raises(UsageError) as caught:
            create_book(workspace, taken, {"book.toml": "other"})
        assert caught.value.code == "book.exists"
        with pytest.raises(UsageError):
            check_free(workspace, taken)
    assert workspace.open("lighthouse").read("book.toml") == 'title = "x"\n'
    check_free(workspace, "other")


def test_a_book_that_appears_meanwhile_is_not_replaced(arena: Path) -> None:
    made = arena / "books" / "lighthouse"

    def somebody_else(operation: str, path: Path) -> None:
        made.mkdir(parents=True, exist_ok=True)
        (made / "book.toml").write_text("theirs", encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        create_book(Workspace(arena), "lighthouse", FILES, Disk(somebody_else))
    assert caught.value.code == "book.exists"
    assert (made / "book.toml").read_text(encoding="utf-8") == "theirs"
    assert os.listdir(arena / "books") == ["lighthouse"]


def test_a_book_that_fails_leaves_nothing(arena: Path) -> None:
    workspace = Workspace(arena)
    with pytest.raises(UsageError) as caught:
        create_book(workspace, "lighthouse", {"a.md": "x", "../b.md": "x"})
    assert caught.value.code == "usage.path"
    assert os.listdir(arena / "books") == []


def test_making_a_book_killed_at_any_disk_operation_leaves_none_or_the_whole(
    arena: Path, tree: Callable[[Path], Tree], killed: Killed
) -> None:
    outcomes = []
    for at in range(1000):
        root = arena / str(at)
        root.mkdir()
        workspace = Workspace(root)
        begin = partial(create_book, workspace, "lighthouse", FILES, origin=ORIGIN)
        if not killed(begin, at):
            break
        outcomes.append(workspace.book_ids())
        if workspace.book_ids():
            assert len(tree(root / "books/lighthouse")) == len(FILES)
            assert len(runs(workspace.open("lighthouse"))[0].changes) == len(FILES)
        else:
            create_book(workspace, "lighthouse", FILES)
        make(workspace, "second")
        assert sorted(os.listdir(root / "books")) == ["lighthouse", "second"]
    assert len(outcomes) > 15
    assert outcomes[0] == []
    assert outcomes[-1] == ["lighthouse"]


def test_books_made_at_the_same_time_do_not_disturb_each_other(arena: Path) -> None:
    workspace = Workspace(arena)
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            try:
                make(workspace, f"book-{number // 2}")
            except UsageError as error:
                os._exit(2 if error.code == "book.exists" else 1)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    results = [os.WEXITSTATUS(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(results) == [0, 0, 0, 2, 2, 2]
    assert workspace.book_ids() == ["book-0", "book-1", "book-2"]
    assert sorted(os.listdir(arena / "books")) == ["book-0", "book-1", "book-2"]


def as_nobody(work: Callable[[], object]) -> str:
    """Run ``work`` in a child that isn't the superuser; the code and message it fails with."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        told = "done"
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            work()
        except UsageError as error:
            told = f"{error.code} {error.message}"
        except BaseException as error:
            told = repr(error)
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits")
def test_a_workspace_without_permission_is_named_before_anything_is_made(arena: Path) -> None:
    arena.chmod(0o555)
    try:
        checked = as_nobody(lambda: check_writable(arena / "books" / "x"))
        created = as_nobody(lambda: create_book(Workspace(arena), "x", FILES))
    finally:
        arena.chmod(0o700)
    for told in (checked, created):
        assert told.startswith("usage.not_writable")
        assert str(arena) in told
    assert os.listdir(arena) == []


def test_a_writable_workspace_is_left_as_it_was(arena: Path) -> None:
    check_writable(arena)
    check_writable(arena / "not" / "yet")
    assert os.listdir(arena) == []
    with pytest.raises(UsageError) as caught:
        (arena / "file").write_text("x", encoding="utf-8")
        check_writable(arena / "file")
    assert caught.value.code == "usage.not_writable"


def test_a_book_may_be_a_symlink_to_a_folder_elsewhere(arena: Path) -> None:
    workspace = Workspace(arena)
    make(workspace, "here")
    elsewhere = arena / "elsewhere"
    (arena / "books/here").rename(elsewhere)
    (arena / "books/here").symlink_to(elsewhere)
    assert workspace.open("here") == BookDir(arena / "books/here")
    assert workspace.open("here").read("brief.md") == "A brief.\n"
