"""``create_file``: a new file with its text, or an empty one whose text is streamed next."""

from typing import Any

from zencli.agent.author_edits_guard import check_overwrite
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.framing import (
    Wanted,
    framed,
    has_prose,
    head_for,
    path_for,
    title_for,
    wanted_from,
)
from zencli.agent.tools.places import TYPES, is_body, readable_path, type_of, writable_path
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.saving import commit, held, text_of, the_book
from zencli.agent.tools.spec import ToolSpec, arguments, flag, number, said, text
from zencli.agent.tools.stale import check_seen
from zencli.agent.tools.wording import tell
from zencli.agent.turn import PendingFile, Turn
from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.story.book import Language


def create_file(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Make a file; without ``content`` it waits for the ``<file>`` body of the next reply."""
    book = the_book(turn)
    wanted = wanted_from(given["type"], given["title"], given.get("parent", ""), given.get("order"))
    language = book.config().language
    head = head_for(wanted, _plain(given.get("metadata", {}), language), language)
    if wanted.type == "folder":
        return _folder(turn, book, wanted)
    path = writable_path(book, path_for(book, wanted))
    content, overwrite = given.get("content", ""), given.get("overwrite", False)
    if turn.pending is not None and not content.strip():
        return _waiting_already(turn, path)
    present = text_of(book, path)
    if has_prose(present):
        check_overwrite(turn, book, path, claimed=overwrite)
    title = title_for(wanted, present or "")
    pending = PendingFile(path, turn.agent, present is not None, title, head, overwrite)
    if content.strip():
        return write_new(turn, pending, content)
    turn.pending = pending
    return ToolResult(
        data={"path": path, "type": type_of(path), "content": ""},
        for_model=f"{path} is ready. Write its text in your next reply between <file> and </file>.",
        for_author=tell(turn, "waits", path=path),
    )


def write_new(turn: Turn, pending: PendingFile, body: str) -> ToolResult:
    """Write the text of a file that is to be made, in one commit.

    Raises ToolRefused ``file_exists`` when the file got a text meanwhile.
    """
    path = pending.path
    text = framed(path, pending.title, pending.head, body)
    with held(turn) as book:
        present = text_of(book, path)
        if present is not None and has_prose(present) and present != text:
            check_overwrite(turn, book, path, claimed=pending.overwrite)
            check_seen(turn, path, present)
        commit(turn, book, {path: text})
        words = count_words(text, book.config().language)
    if is_body(path):
        turn.files.words[path] = turn.files.words.get(path, 0) + words
    kind = "created" if present is None else "written"
    return ToolResult(
        data={"path": path, "type": type_of(path), "words": words},
        for_model=f"{path} is saved with {words} words.",
        for_author=tell(turn, kind, path=path, words=words),
    )


def _plain(metadata: dict[str, Any], language: Language) -> dict[str, str]:
    """Metadata as lines hold it; the items of a list stand side by side."""
    comma = "、" if language == "zh" else ", "
    lists = {key: value if isinstance(value, list) else [value] for key, value in metadata.items()}
    return {key: comma.join(map(str, values)) for key, values in lists.items()}


def _waiting_already(turn: Turn, path: str) -> ToolResult:
    assert turn.pending is not None
    first = turn.pending.path
    if path == first:
        return ToolResult(
            data={"path": path, "type": type_of(path), "content": ""},
            for_model=f"{path} waits for its text already: write it between <file> and </file>.",
            for_author=tell(turn, "waits", path=path),
        )
    raise ToolRefused(
        "pending_empty_file_unwritten",
        f"{first} has no text yet: only one file is written at a time.",
        f"Write the text of {first} between <file> and </file> first.",
        data={"path": first},
        for_author=tell(turn, "one_at_a_time", path=first),
    )


def _folder(turn: Turn, book: BookDir, wanted: Wanted) -> ToolResult:
    path = readable_path(book, path_for(book, wanted))
    writable_path(book, f"{path}/a.md")
    with held(turn):
        try:
            (book.path / path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ToolRefused("path_refused", f"{path}: {error.strerror}.") from error
    return ToolResult(
        data={"path": path, "type": "folder"},
        for_model=f"The folder {path} is there.",
        for_author=tell(turn, "folder", path=path),
    )


SPEC = ToolSpec(
    name="create_file",
    description=said(
        "新建一个文件。长文不放进 content：不带 content 调用，再在下一条回复里"
        "用 <file> 和 </file> 包住全文。已有内容的文件不覆盖，除非作者本轮点名要整份重写。",
        "Make a file. Don't put long text into content: call without it, then write the whole text "
        "between <file> and </file> in the next reply. A file that has text isn't replaced unless "
        "the author named it and asked for that in this turn.",
    ),
    parameters=arguments(
        ["title", "type"],
        title=text(
            "标题；章节可写成“第三章 夜雨”，不写章号就是下一章",
            "title; a chapter may say its number, as in “Chapter 3: Night Rain”; "
            "without one it is the next chapter",
            minLength=1,
            maxLength=200,
        ),
        type={
            "type": "string",
            "enum": list(TYPES),
            "description": said(
                "outline 大纲，character 角色卡，lore 设定，draft 章节正文，script 剧本，"
                "snippet 片段，document 其他文档，folder 文件夹",
                "outline, character card, lore, draft (a chapter), script (an episode), snippet, "
                "document (anything else), folder",
            ),
        },
        parent=text(
            "放进哪个文件夹；章节和角色卡不用",
            "folder to put it in; not for chapters and cards",
            maxLength=200,
        ),
        order=number(
            "章号或集号；其他类型为排序号",
            "number of the chapter or episode; for other types where it stands among its kind",
            minimum=0,
            maximum=100_000,
        ),
        metadata={
            "type": "object",
            "description": said(
                "标题下的说明行，如角色卡的 aliases、role、start；章节和剧本没有",
                "lines under the heading, such as aliases, role, start of a card; none for "
                "chapters and scripts",
            ),
        },
        content=text("短文件的全文", "the whole text of a short file"),
        overwrite=flag(
            "作者本轮点名要整份重写", "the author asked in this turn to have all of it written anew"
        ),
    ),
    permission="write",
    handler=create_file,
)
