"""What each call of a chapter was given, section by section, and why: ``context.json`` of a run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from zencli.context.budget import Section
from zencli.context.layers import Layer
from zencli.errors import NotFound
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.run_files import run_folders

NAME = "context"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TakenItem(_Data):
    """An entry: how it begins, its tokens, why it was taken."""

    label: str
    tokens: int
    why: str


class ContextSection(_Data):
    """A section; ``cut`` entries didn't fit, ``left`` is how the first of those begin."""

    name: str
    tokens: int
    items: int
    cut: int
    why: str
    taken: list[TakenItem]
    left: list[str]


class ContextLayer(_Data):
    """A layer of the messages. ``task:ROLE`` is what only that call was given."""

    name: str
    tokens: int
    sections: list[ContextSection]


class ContextCall(_Data):
    """A call and the layers it consisted of, in order."""

    role: str
    tokens: int
    layers: list[str]


class ChapterContext(_Data):
    """All calls of a chapter in one run."""

    number: int
    layers: list[ContextLayer]
    calls: list[ContextCall]


class ContextView(_Data):
    """What ``show --context`` tells: the context of a chapter and the run that it is from."""

    book_id: str
    run: str
    number: int
    layers: list[ContextLayer]
    calls: list[ContextCall]


class ContextLog:
    """The contexts of a run's chapters, as they grow.

    ``note`` puts data into a file of the run: ``context.json`` is of the chapter at work, those
    before it keep theirs as ``context-0012.json``.
    """

    def __init__(self) -> None:
        self._number: int | None = None
        self._layers: dict[str, tuple[Layer, dict[str, Any]]] = {}
        self._calls: list[ContextCall] = []

    def add(
        self,
        number: int,
        role: str,
        layers: Sequence[Layer],
        estimate: Callable[[str], int],
        note: Callable[[str, dict[str, Any]], None],
    ) -> None:
        """Put down a call."""
        if number != self._number:
            if self._number is not None:
                note(f"{NAME}-{self._number:04d}", self._data(self._number))
            self._number, self._layers, self._calls = number, {}, []
        names, tokens = [], 0
        for layer in layers:
            name = f"task:{role}" if layer.name == "task" else layer.name
            names.append(name)
            counted = estimate(layer.text)
            tokens += counted
            before = self._layers.get(name)
            if before is None or before[0] is not layer or before[1]["tokens"] != counted:
                self._layers[name] = layer, layer_data(name, counted, layer).model_dump(mode="json")
        self._calls.append(ContextCall(role=role, tokens=tokens, layers=names))
        note(NAME, self._data(number))

    def _data(self, number: int) -> dict[str, Any]:
        layers = [told for _, told in self._layers.values()]
        calls = [call.model_dump(mode="json") for call in self._calls]
        return {"number": number, "layers": layers, "calls": calls}


def layer_data(name: str, tokens: int, layer: Layer) -> ContextLayer:
    """A layer as data."""
    sections = [section_data(section) for section in layer.sections]
    return ContextLayer(name=name, tokens=tokens, sections=sections)


def section_data(section: Section) -> ContextSection:
    """A section as data."""
    return ContextSection(
        name=section.name,
        tokens=section.tokens,
        items=section.items,
        cut=section.cut,
        why=section.why,
        taken=[TakenItem(label=i.label, tokens=i.tokens, why=i.why) for i in section.taken],
        left=list(section.left),
    )


def stored_context(book: BookDir, number: int) -> ContextView:
    """The context of a chapter in the latest run that made a call for it.

    Raises NotFound ``context.not_found`` when no kept run did.
    """
    for folder in reversed(run_folders(book.path / MACHINE / "runs")):
        for name in (NAME, f"{NAME}-{number:04d}"):
            found = _read(folder / f"{name}.json")
            if found is not None and found.number == number:
                return ContextView(
                    book_id=book.id,
                    run=folder.name,
                    number=number,
                    layers=found.layers,
                    calls=found.calls,
                )
    raise NotFound(
        "context.not_found",
        f"No kept run has made a call for chapter {number}.",
        f"See what the next one would be given: zencli write-next {book.id} --dry-run",
    )


def _read(path: Path) -> ChapterContext | None:
    """None for a file that isn't there, that is cut, or that another version made."""
    try:
        return ChapterContext.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
