"""What an author gets wrong: a sentence, a code, an exit status, and not one byte changed."""

import os
import pty
import subprocess
from pathlib import Path

import pytest
from cli_helpers import COMMAND, KEY, Answer, Endpoint, Result, Shell, environment, tree
from scripts import Script

BOOK = "by-the-board"


def refuses(
    shell: Shell, words: list[str], code: str, status: int, said: str, *, machine: bool = True
) -> Result:
    """Give a command as text and as JSON; both must refuse alike and change nothing."""
    before = tree(shell.root, machine=machine)
    told = shell(*words)
    assert told.code == status, told.err
    assert told.out == ""
    assert said in told.err
    assert "Traceback" not in told.err
    error = shell(*words, "--json").json()["error"]
    assert error["code"] == code
    assert said in error["message"]
    assert error["message"].endswith((".", "?")) or code == "llm.auth"
    assert tree(shell.root, machine=machine) == before
    return told


NAMED_WRONG = {
    "unknown book": (["status", "by-the-bord"], "book.not_found", "no book 'by-the-bord'"),
    "book in a path": (["audit", "../by-the-board"], "usage.book_id", "can't be the id"),
    "existing id": (
        ["init-book", BOOK, "-i", "A lighthouse."], "book.exists", "There is a book 'by-the-board'",
    ),
    "impossible id": (["init-book", "A/B", "-i", "x"], "usage.book_id", "can't be the id"),
    "count 0": (["write-next", "--count", "0"], "usage.options", "--count"),
    "count abc": (["write-next", "--count", "abc"], "usage.options", "--count"),
    "count -3": (["write-next", "--count", "-3"], "usage.options", "--count"),
    "too long a book": (["write-next", "--count", "9"], "usage.finished", "beyond its end"),
    "count and until": (
        ["write-next", "--count", "2", "--until", "3"], "usage.options", "exclude each other",
    ),
    "chapter words 99": (
        ["write-next", "--chapter-words", "99"], "usage.options", "--chapter-words",
    ),
    "missing chapter": (["audit", "7"], "chapter.not_found", "no chapter 7; the latest is 2"),
    "missing chapter to rewrite": (
        ["write-next", "--chapter", "9"], "chapter.not_found", "no chapter 9",
    ),
    "missing chapter to revise": (["revise", BOOK, "9"], "chapter.not_found", "no chapter 9"),
    "missing chapter to show": (["show", "9"], "chapter.not_found", "no chapter 9"),
    "chapter abc": (["audit", BOOK, "abc"], "usage.options", "CHAPTER"),
    "half a range as chapter": (["audit", "2-"], "usage.options", "CHAPTER"),
    "huge chapter": (["audit", "123456789"], "usage.options", "CHAPTER"),
    "range backwards": (
        ["audit", "--chapters", "2-1", "--no-llm"], "usage.range", "ends before it begins",
    ),
    "range of words": (["export", "--chapters", "one-two"], "usage.range", "isn't a range"),
    "range beyond": (["export", "--chapters", "30-40"], "chapter.not_found", "no chapter in 30-40"),
    "nothing approved": (["export", "--approved-only"], "export.empty", "no chapter to export"),
    "range to approve": (["approve", "two"], "book.not_found", "no book 'two'"),
    "approve nothing": (["approve"], "usage.chapters", "Say which chapters"),
    "unknown format": (["export", "--format", "pdf"], "usage.options", "--format"),
    "cover for txt": (["export", "--cover", "x.png"], "usage.options", "--format epub"),
    "missing cover": (
        ["export", "--format", "epub", "--cover", "no.png"], "usage.cover", "no.png can't be read",
    ),
    "text as a cover": (
        ["export", "--format", "epub", "--cover", f"books/{BOOK}/brief.md"],
        "usage.cover",
        "neither PNG nor JPEG",
    ),
    "output below a file": (
        ["export", "--output", f"books/{BOOK}/brief.md/x.txt"], "usage.output", "brief.md",
    ),
    "unknown mode": (["revise", "--mode", "magic"], "usage.options", "--mode"),
    "unknown finding": (["revise", "--finding", "nope"], "finding.not_found", "id nope"),
    "unknown option": (["audit", "--strict"], "usage.options", "--strict"),
    "unknown platform": (
        ["init-book", "-i", "x", "--platform", "kindle"], "usage.options", "--platform",
    ),
    "unknown language": (
        ["init-book", "-i", "x", "--language", "fr"], "usage.options", "--language",
    ),
    "no genre": (["init-book", "-i", "x", "--genre", ""], "usage.options", "--genre"),
    "no chapters": (
        ["init-book", "-i", "x", "--target-chapters", "0"], "usage.options", "--target-chapters",
    ),
    "no brief": (["init-book", "--title", "T"], "usage.brief", "The brief is empty"),
    "blank instruction": (["init-book", "-i", " \n "], "usage.brief", "The brief is empty"),
    "empty brief": (["init-book", "--brief", "empty.md"], "usage.brief", "The brief is empty"),
    "missing brief": (["init-book", "--brief", "no.md"], "usage.brief", "no.md can't be read"),
    "folder as brief": (["init-book", "--brief", "books"], "usage.brief", "books can't be read"),
    "binary brief": (["init-book", "--brief", "gbk.md"], "usage.brief", "UTF-8"),
    "missing @file": (["write-next", "-i", "@no.md"], "usage.file", "no.md can't be read"),
    "binary @file": (["write-next", "-i", "@gbk.md"], "usage.file", "UTF-8"),
    "folder as @file": (["revise", "-i", "@books"], "usage.file", "books can't be read"),
    "missing workspace": (["list", "--root", "nowhere"], "usage.root", "'nowhere' doesn't exist"),
    "file as workspace": (["list", "--root", "empty.md"], "usage.root", "isn't a folder"),
    "folder that is no book": (["audit", "drafts"], "book.not_found", "'drafts' is no book"),
    "cost that is no number": (["write-next", "--max-cost", "nan"], "usage.options", "--max-cost"),
    "negative budget": (["write-next", "--max-tokens", "-1"], "usage.options", "--max-tokens"),
    "no time": (["write-next", "--timeout", "0"], "usage.options", "--timeout"),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMED_WRONG)
def test_a_wrong_value_is_refused_before_anything_happens(
    case: str, book: Shell, endpoint: Endpoint
) -> None:
    words, code, said = NAMED_WRONG[case]
    (book.root / "empty.md").write_text("\n \n")
    (book.root / "gbk.md").write_bytes("灯塔上的人".encode("gbk"))
    (book.root / "books" / "drafts").mkdir()
    machine = words[0] not in ("audit", "revise", "approve")
    refuses(book, words, code, 2, said, machine=machine)
    assert endpoint.bodies == []


def test_an_unknown_verb_is_refused(shell: Shell) -> None:
    refuses(shell, ["write"], "usage.options", 2, "write")


def test_there_is_no_book_yet(shell: Shell) -> None:
    refuses(shell, ["write-next"], "book.not_found", 2, "There is no book")


def test_which_of_two_books_must_be_said(book: Shell, written: dict[str, Path]) -> None:
    source = next((written["zh"] / "books").iterdir())
    source_copy = book.root / "books" / source.name
    source_copy.symlink_to(source)
    refuses(book, ["status"], "usage.book", 2, "There are 2 books here")
    refuses(book, ["audit", "2", "--no-llm"], "usage.book", 2, "There are 2 books here")


@pytest.mark.parametrize("verb", ["write-next", "audit", "revise", "export", "status", "approve"])
def test_an_unreadable_book_toml_names_its_line(verb: str, book: Shell, endpoint: Endpoint) -> None:
    config = book.root / "books" / BOOK / "book.toml"
    config.write_text(config.read_text("utf-8").replace('genre = "general"', "genre = general"))
    more = ["1"] if verb == "approve" else []
    refuses(book, [verb, BOOK, *more], "book.damaged", 8, "book.toml, line 5", machine=False)
    assert endpoint.bodies == []


def test_a_wrong_value_in_book_toml_names_its_line(book: Shell, endpoint: Endpoint) -> None:
    config = book.root / "books" / BOOK / "book.toml"
    text = config.read_text("utf-8").replace("target_chapters = 3", 'target_chapters = "three"')
    config.write_text(text)
    refuses(book, ["write-next"], "book.damaged", 8, "book.toml, line 8: target_chapters")
    assert endpoint.bodies == []


def test_an_unreadable_record_stops_writing(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "books" / BOOK / "records" / "0001.json").write_text('{"number": 1,')
    said = "records/0001.json can't be used"
    refuses(book, ["write-next"], "book.damaged", 8, said, machine=False)
    assert endpoint.bodies == []


def test_a_gap_in_the_chapters_stops_writing(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "books" / BOOK / "chapters" / "0001.md").unlink()
    refuses(book, ["write-next"], "book.gap", 8, "lacks chapter 1", machine=False)
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model\n", "zencli.toml: "),
        ("[model]\nname = 'x'\nbase_url = 3\n", "zencli.toml: model.base_url"),
        ("[model]\nkey = 'sk-secret-in-a-file'\n", "zencli.toml: model.key"),
        ("[models.poet]\nname = 'x'\n", "no role models.poet"),
        ("[budget]\nmax_cost = 'much'\n", "zencli.toml: budget.max_cost"),
        ("[model.profile]\nwindow = 3\n", "window"),
        ("[model.profile]\nwindou = 30000\n", "windou"),
    ],
)
def test_a_wrong_configuration_names_its_place(
    text: str, said: str, book: Shell, endpoint: Endpoint
) -> None:
    (book.root / "zencli.toml").write_text(text)
    result = book("write-next", "--json")
    error = result.json()["error"]
    assert result.code == 2
    assert error["code"] in ("usage.config", "usage.profile")
    assert said in error["message"]
    assert endpoint.bodies == []


def test_an_endpoint_without_a_model_is_refused(book: Shell) -> None:
    book.variables["ZENCLI_MODEL"] = None
    refuses(book, ["write-next"], "usage.model", 2, "without a model", machine=False)


@pytest.mark.parametrize("url", ["127.0.0.1:8080/v1", "ftp://127.0.0.1/v1", "http://", "nonsense"])
def test_a_base_url_that_is_none_is_refused(url: str, book: Shell) -> None:
    result = book("write-next", "--base-url", url, "--json")
    error = result.json()["error"]
    assert error["code"] == "usage.base_url"
    assert result.code == 2


def test_words_that_are_not_utf8_are_refused_before_any_call(
    book: Shell, endpoint: Endpoint
) -> None:
    gbk = os.fsdecode("灯塔上的人".encode("gbk"))
    for words in (["-i", gbk], ["-i", "x", "--title", gbk], ["-i", "x", "--genre", gbk]):
        refuses(book, ["init-book", *words], "usage.options", 2, "isn't UTF-8 text")
    told = book("init-book", "-i", "-", "--json", stdin="灯塔上的人".encode("gbk"))
    assert (told.code, told.json()["error"]["code"]) == (2, "usage.stdin")
    assert endpoint.bodies == []


def test_stdin_that_is_a_terminal_is_no_instruction(book: Shell, endpoint: Endpoint) -> None:
    before = tree(book.root)
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [*COMMAND, "write-next", "-i", "-"],
            cwd=book.root,
            env=environment(**book.variables),
            stdin=slave,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 2
    assert b"--instruction - reads stdin, which is a terminal." in done.stderr
    assert tree(book.root) == before
    assert endpoint.bodies == []


def test_a_prompt_of_ones_own_that_asks_for_too_much_is_named(
    book: Shell, endpoint: Endpoint
) -> None:
    own = book.root / "prompts" / "en" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Plan chapter {{ number }}.\nMind the {{ weather }}.\n")
    said = f"{own.relative_to(book.root)}, line 2: there is no variable 'weather' here"
    refuses(book, ["write-next"], "usage.prompt", 2, said, machine=False)
    assert endpoint.bodies == []


def test_a_wrong_prompt_of_a_late_step_is_named_before_the_first_call(
    book: Shell, endpoint: Endpoint
) -> None:
    own = book.root / "prompts" / "en" / "settle.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Settle.\n\nMind the {{ weather }}.\n")
    refuses(book, ["write-next"], "usage.prompt", 2, "weather", machine=False)
    assert endpoint.bodies == []


def test_a_broken_prompt_names_its_line(book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "prompts" / "en" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Plan.\n{% if number %}\n")
    refuses(book, ["write-next"], "usage.prompt", 2, "plan.md.j2, line 2", machine=False)
    assert endpoint.bodies == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_named_and_never_shown(status: int, book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*[Answer(f"Incorrect API key provided: {KEY}", status=status)] * 2)
    told = refuses(book, ["write-next"], "llm.auth", 5, "refused the key", machine=False)
    assert KEY not in told.err
    assert len(endpoint.bodies) == 2, "a wrong key is not tried again"
    assert keyless(book.root)


def test_a_wrong_key_leaves_no_half_book(shell: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*[Answer("no such key", status=401)] * 2)
    refuses(shell, ["init-book", "-i", "A lighthouse."], "llm.auth", 5, "refused", machine=False)
    assert list(shell.root.glob("books/*")) == []


def test_an_endpoint_that_is_not_there_is_named(book: Shell) -> None:
    gone = "http://127.0.0.1:9/v1"
    before = tree(book.root, machine=False)
    result = book("write-next", "--base-url", gone, "--json")
    error = result.json()["error"]
    assert (result.code, error["code"]) == (5, "llm.network")
    assert f"played at {gone} can't be reached" in error["message"]
    assert tree(book.root, machine=False) == before


def test_a_plan_that_fails_half_way_leaves_no_half_book(shell: Shell, endpoint: Endpoint) -> None:
    script = Script("en")
    endpoint.play(*script.opening()[:2], Answer("nothing here", status=404))
    before = tree(shell.root, machine=False)
    result = shell("init-book", "-i", "A lighthouse.", "--language", "en", "--json")
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.endpoint")
    assert result.json()["usage"]["calls"] == 2
    assert tree(shell.root, machine=False) == before


def test_a_workspace_that_cannot_be_written_is_refused_before_any_call(
    shell: Shell, endpoint: Endpoint
) -> None:
    shell.root.chmod(0o555)
    try:
        bound = Shell(shell.root, shell.variables, before=POWERLESS)
        refuses(bound, ["init-book", "-i", "A lighthouse."], "usage.not_writable", 2, "")
    finally:
        shell.root.chmod(0o755)
    assert endpoint.bodies == []


@pytest.mark.parametrize("verb", ["write-next", "audit", "revise", "approve"])
def test_a_book_that_cannot_be_written_is_refused_before_any_call(
    verb: str, book: Shell, endpoint: Endpoint
) -> None:
    folder = book.root / "books" / BOOK
    closed = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in closed:
        path.chmod(0o555)
    for path in (p for p in folder.rglob("*") if p.is_file()):
        path.chmod(0o444)
    try:
        bound = Shell(book.root, book.variables, before=POWERLESS)
        more = ["1"] if verb == "approve" else []
        refuses(bound, [verb, BOOK, *more], "usage.not_writable", 2, "")
    finally:
        for path in closed:
            path.chmod(0o755)
    assert endpoint.bodies == []


def test_a_file_in_place_of_the_books_is_refused(shell: Shell, endpoint: Endpoint) -> None:
    (shell.root / "books").write_text("not a folder")
    refuses(shell, ["init-book", "-i", "A lighthouse."], "usage.not_writable", 2, "books")
    assert endpoint.bodies == []


POWERLESS = (
    ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
)
"""Root heeds permissions only without these capabilities."""


def keyless(root: Path) -> bool:
    """Whether no file below ``root`` holds the key."""
    return all(KEY.encode() not in p.read_bytes() for p in root.rglob("*") if p.is_file())
