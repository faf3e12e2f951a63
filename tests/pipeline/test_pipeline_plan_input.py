"""What the planner is given to choose from: the book's people and its places."""

from pipeline_helpers import Workspace, book_of, four_calls, play, prompt

from zencli.pipeline.params import WriteNext
from zencli.prose.segment import sentences
from zencli.story.documents.bible import places
from zencli.story.documents.cards import parse_card


def test_the_planner_reads_every_place_and_how_each_card_begins(workspace: Workspace) -> None:
    root = workspace(0)
    runner, model = play(root, four_calls(1))
    runner.write_next(WriteNext())
    given = prompt(model.requests[0])
    book = book_of(root)
    listed = places(book.read("story_bible.md") or "")
    assert listed and all(place in given for place in listed)
    for card in map(parse_card, book.cards().values()):
        assert f"{card.name}（{card.role}）：{sentences(card.card, 'zh')[0]}" in given


def test_a_cast_too_large_for_its_share_is_given_by_name_and_role(workspace: Workspace) -> None:
    root = workspace(0)
    book = book_of(root)
    for number in range(40):
        text = f"# 路人{number}\n\n- 身份：邻居\n\n{'他守着河边的一间铺子，' * 9}哪儿也不去。\n"
        (book.path / "characters" / f"extra-{number}.md").write_text(text, encoding="utf-8")
    runner, model = play(root, four_calls(1))
    runner.write_next(WriteNext())
    given = prompt(model.requests[0])
    assert all(f"- 路人{number}" in given for number in range(40))
    assert "他守着河边" not in given
