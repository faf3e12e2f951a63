"""``delete_file``: a file, or when asked a whole folder, into the book's trash."""

from typing import Any

from zencli.agent.author_edits_guard import check_delete
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.places import readable_path, writable_path
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import commit, held, the_book
from zencli.agent.tools.scanning import paths_of
from zencli.agent.tools.spec import ToolSpec, arguments, flag, said, text
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.pipeline.past.rewind import chapter_number
from zencli.store.disk import DISK
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE

TRASH = f"{MACHINE}/trash"


def delete_file(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Delete in one commit; a copy stays in the trash, and ``undo`` brings everything back.

    Raises ToolRefused ``file_not_found``, ``folder_needs_recursive``, ``chapter_gap`` and
    ``author_edit_protected``: then nothing is deleted.
    """
    book = the_book(turn)
    path = readable_path(book, given["path"].rstrip("/"))
    with held(turn):
        folder = (book.path / path).is_dir()
        paths = _inside(book, path) if folder else [writable_path(book, path)]
        if folder and not given.get("recursive", False):
            raise ToolRefused(
                "folder_needs_recursive",
                f"{path} is a folder of {len(paths)} files.",
                "Give recursive=true when the author asked to delete all of it.",
                data={"path": path, "files": paths[:20]},
            )
        if not folder and not (book.path / path).is_file():
            raise ToolRefused("file_not_found", f"There is no file {path}.", "It may be gone.")
        for one in paths:
            writable_path(book, one)
            check_delete(turn, book, one, within=path if folder else "")
        _check_no_gap(book, paths)
        _to_trash(turn, book, paths)
        commit(turn, book, dict.fromkeys(paths))
        if folder:
            _remove_empty(book, path)
    return ToolResult(
        data={"path": path, "deleted": paths},
        for_model=f"{path} is deleted; the author can take that back.",
        for_author=tell(turn, "deleted", path=path),
    )


def _inside(book: BookDir, folder: str) -> list[str]:
    writable_path(book, f"{folder}/a.md")
    return [path for path in paths_of(book) if path.startswith(f"{folder}/")]


def _check_no_gap(book: BookDir, paths: list[str]) -> None:
    """A chapter goes only together with those after it: a gap would stop the book."""
    gone = {number for path in paths if (number := chapter_number(path)) is not None}
    numbers = book.chapter_numbers()
    above = [number for number in numbers if gone - {0} and number > min(gone - {0})]
    left = sorted(set(above) - gone)
    if left:
        raise ToolRefused(
            "chapter_gap",
            f"Chapter {min(gone - {0})} can't be deleted alone: chapter {left[0]} follows on it.",
            "Ask the author whether to rewrite it instead, or to delete what follows first.",
            data={"following": left},
        )


def _to_trash(turn: Turn, book: BookDir, paths: list[str]) -> None:
    for path in paths:
        place = book.path / TRASH / turn.run_id / path
        DISK.make_folder(place.parent)
        DISK.unlink(place)
        DISK.create(place, (book.path / path).read_bytes())


def _remove_empty(book: BookDir, folder: str) -> None:
    """Take away the folders that hold nothing any more."""
    root = book.path / folder
    inner = sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True)
    for place in (*inner, root):
        if not any(place.iterdir()):
            place.rmdir()


SPEC = ToolSpec(
    name="delete_file",
    description=said(
        "删除文件（进回收站）。作者写过或改过的，只有他本轮点名说删才能删。",
        "Delete a file (it goes to the trash). One that the author wrote or edited is deleted only "
        "when he named it and said so in this turn.",
    ),
    parameters=arguments(
        ["path"],
        path=text("书内路径", "path in the book"),
        recursive=flag("连同文件夹里的一切", "a folder with all it holds"),
    ),
    permission="write",
    handler=delete_file,
)
