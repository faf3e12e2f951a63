"""What of a chapter's prompts a llama.cpp server had read before, as it says itself.

Twice: for the prompts of full size, which the server only reads, and for a book that the embedded
model writes, whose small window leaves little to share.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.import_bench import NotThere
from bench.long_bench import Row
from bench.simulator import write
from bench.simulator_author import Author
from bench.simulator_book import begin_book
from bench.simulator_model import SimulatedModel
from zencli.errors import ZencliError
from zencli.llm.embedded import EmbeddedModel, installed
from zencli.llm.profiles import PROFILES
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.params import InitBook, WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.calls import CALLS, CallFile

WANTED = 0.70
SHORT = 300
"""Words of a chapter whose prompts fit the embedded model's window of 8,192 tokens."""

WISH = InitBook(
    book_id="tide",
    instruction=(
        "A lighthouse keeper's daughter must find out before the next spring tide who put out the"
        " lamp on the night the ferry sank. Third person, past tense, plain words."
    ),
    language="en",
    genre="mystery",
    target_chapters=2,
    chapter_word_count=200,
)


@dataclass
class Keeping(SimulatedModel):
    """A simulated model that keeps every request."""

    requests: list[Request] = field(default_factory=list)

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        self.requests.append(request)
        return super().complete(request, on_text)


def cache_rows() -> Iterator[Row]:
    """One row a chapter: the cached share of its prompt tokens, and those of each call."""
    if installed() is None:
        yield "llama.cpp: cached prompt tokens", "skipped", "zencli model install"
        return
    for name, rows in (("full prompts", read_only), ("embedded", written)):
        try:
            yield from rows()
        except (ZencliError, NotThere) as error:
            yield f"llama.cpp, {name}: cached prompt tokens", "skipped", str(error)


def read_only() -> Iterator[Row]:
    """The second chapter of the simulated English book, its prompts as for a large model."""
    model = Keeping(Author("en", SHORT, 12))
    with tempfile.TemporaryDirectory() as folder:
        begin_book(Path(folder), model)
        list(write(Path(folder), model, 2))
    before, *calls = model.requests[-5:]
    server = EmbeddedModel(replace(PROFILES["embedded"], max_output=16, tokens_per_latin=0.2))
    try:
        server.complete(_only_read(before))
        used = [(call.role, server.complete(_only_read(call)).usage) for call in calls]
    finally:
        server.close()
    each = [(step, usage.cached_tokens, usage.input_tokens) for step, usage in used]
    yield _row("llama.cpp, full prompts: cached, chapter 2", each)


def _only_read(request: Request) -> Request:
    """The same prompt; a few tokens of a reply that nobody reads."""
    return replace(request, schema=None, max_output=16)


def written() -> Iterator[Row]:
    """Both chapters of a small book that the embedded model writes in one run."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        Runner(root, environ={}).init_book(WISH)
        Runner(root, environ={}).write_next(WriteNext(rounds=0, chapter_count=2))
        calls = CallFile(root / "books" / "tide" / CALLS).read()
    for chapter in (1, 2):
        each = [(c.step, c.cached, c.input) for c in calls if c.chapter == chapter]
        yield _row(f"llama.cpp, embedded model: cached, chapter {chapter}", each)


def _row(name: str, calls: list[tuple[str, int, int]]) -> Row:
    share = sum(cached for _, cached, _ in calls) / sum(asked for _, _, asked in calls)
    each = ", ".join(f"{step} {cached}/{asked}" for step, cached, asked in calls)
    return name, f"{share:.1%}", f"{each}; wanted {WANTED:.0%}"
