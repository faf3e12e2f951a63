"""An author's own prompts and genres are used instead of those shipped."""

from cli_helpers import REPO, Endpoint, Shell
from scripts import Script

BOOK = "by-the-board"
PLAN = REPO / "prompts" / "en" / "plan.md.j2"


def sent(endpoint: Endpoint) -> str:
    """The last message of the first request."""
    content: str = endpoint.bodies[0]["messages"][-1]["content"]
    return content


def test_a_prompt_of_the_workspace_is_used(book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "prompts" / "en" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(PLAN.read_text("utf-8") + "\nCount the gulls of chapter {{ number }}.\n")
    endpoint.play(*Script("en").chapter(3))
    assert book("write-next").code == 0
    assert sent(endpoint).endswith("Count the gulls of chapter 3.")


def test_a_prompt_of_the_book_wins_over_one_of_the_workspace(
    book: Shell, endpoint: Endpoint
) -> None:
    for folder, animal in ((book.root, "gulls"), (book.root / "books" / BOOK, "crows")):
        own = folder / "prompts" / "en" / "plan.md.j2"
        own.parent.mkdir(parents=True)
        own.write_text(PLAN.read_text("utf-8") + f"\nCount the {animal}.\n")
    book("write-next")
    assert sent(endpoint).endswith("Count the crows.")


def test_a_prompt_of_another_language_changes_nothing(book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "prompts" / "zh" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{{ nothing_of_the_kind }}")
    endpoint.play(*Script("en").chapter(3))
    assert book("write-next").code == 0


def test_a_genre_of_the_workspace_is_listed_and_used(shell: Shell, endpoint: Endpoint) -> None:
    own = shell.root / "genres" / "seaside.md"
    own.parent.mkdir()
    own.write_text("# Seaside gothic\n\n## Concept\n\nThe tide is a clock.\n")
    listed = shell("genres", "--language", "en", "--json").json()["data"]["genres"]
    assert listed["seaside"] == "Seaside gothic"
    assert "mystery" in listed
    shell("init-book", "-i", "A pier.", "--genre", "seaside", "--language", "en")
    assert "The tide is a clock." in sent(endpoint)
    assert "Seaside gothic" in sent(endpoint)


def test_a_genre_of_the_workspace_replaces_the_shipped_one(
    shell: Shell, endpoint: Endpoint
) -> None:
    own = shell.root / "genres" / "zh" / "xuanhuan.md"
    own.parent.mkdir(parents=True)
    own.write_text("# 玄幻（自定）\n\n## 构思\n\n境界只有三层。\n", encoding="utf-8")
    assert shell("genres", "--json").json()["data"]["genres"]["xuanhuan"] == "玄幻（自定）"
    shell("init-book", "-i", "少年与剑。", "--genre", "xuanhuan")
    assert "境界只有三层。" in sent(endpoint)


def test_all_genres_are_there_in_both_languages(shell: Shell) -> None:
    wanted = {
        "xuanhuan", "xianxia", "wuxia", "urban", "mystery", "romance", "scifi", "fantasy",
        "litrpg", "horror", "historical", "general",
    }  # fmt: skip
    for language in ("zh", "en"):
        told = shell("genres", "--language", language, "--json").json()["data"]
        assert wanted <= set(told["genres"])


def test_an_unknown_genre_is_open_text(shell: Shell, endpoint: Endpoint) -> None:
    shell("init-book", "-i", "A pier.", "--genre", "pier noir/../../x", "--language", "en")
    assert "pier noir/../../x" in sent(endpoint)
