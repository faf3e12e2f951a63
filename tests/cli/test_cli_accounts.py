"""``status --cost`` and ``trace``, as text and as JSON."""

from cli_helpers import KEY, Endpoint, Shell
from scripts import Script

EN = Script("en")


def test_the_costs_of_a_book_and_how_a_price_is_set(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "zencli.toml").write_text(
        "[model.profile]\nprice_input = 1000\nprice_cached = 0\nprice_output = 0\n"
    )
    endpoint.play(*EN.chapter(3))
    assert book("write-next", "--json").code == 0
    data = book("status", "--cost", "--json").json()["data"]
    cost = data["cost"]
    assert data["chapters"]
    third = cost["chapters"][2]
    assert third["name"] == "3"
    assert third["calls"] == len(endpoint.bodies)
    assert third["cached_share"] == 0.5
    assert abs(third["cost"] - third["input_tokens"] * 0.5 / 1000) < 0.01
    assert {line["name"] for line in cost["verbs"]} == {"init-book", "write-next"}
    told = book("status", "--cost")
    assert told.code == 0
    for words in ("by verb", "by role", "by model", "by chapter", "auditor", "played", "50%"):
        assert words in told.out
    assert "price_input" not in told.out
    (book.root / "zencli.toml").unlink()
    endpoint.play(EN.chapter(3)[2])
    book("audit", "--fail-on", "never")
    unpriced = book("status", "--cost").out
    assert "No price was known for 1 calls" in unpriced
    assert "price_input" in unpriced
    assert book("status", "--json").json()["data"]["cost"] is None


def test_a_trace_shows_every_call_and_only_when_asked_what_was_said(
    book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*EN.chapter(3))
    assert book("write-next", "--json").code == 0
    told = book("trace", "--json").json()["data"]
    assert [call["step"] for call in told["calls"]] == [step.role for step in EN.chapter(3)]
    assert {call["model"] for call in told["calls"]} == {"played"}
    assert all(call["messages"] is None for call in told["calls"])
    text = book("trace")
    assert text.code == 0
    assert "chapter 3: plan (planner, played)" in text.out
    assert "50% cached" in text.out
    said = book("trace", told["run"], "--verbose")
    assert EN.chapter(3)[1].text.strip()[:60] in said.out
    assert "--- system" in said.out
    whole = book("trace", "--verbose", "--json")
    assert whole.json()["data"]["calls"][0]["messages"][0]["role"] == "system"
    assert KEY not in said.out + whole.out
    unknown = book("trace", "20200101T000000.000000Z-audit", "--json")
    assert (unknown.code, unknown.json()["error"]["code"]) == (2, "run.not_found")
