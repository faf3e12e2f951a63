"""What the author reads at the end: the agents' words in order, and the list of files."""

import re
from dataclasses import dataclass, field

from zencli.agent.questions import without_question
from zencli.agent.turn import AgentRole, FileChange, Turn
from zencli.context.prompts import Prompts
from zencli.prose.count import HAN, count_words
from zencli.story.book import Language

_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_PROCESS = 240
"""Characters up to which an English line before a tool call counts as talk to oneself."""


@dataclass
class Said:
    """A piece of an agent's text between two tool calls.

    ``before_tool``: a tool call follows at once. ``after_write``: a body file had been written by
    the same run. ``closing``: it is the run's last word.
    """

    agent: AgentRole
    run: int
    text: str
    before_tool: bool = False
    after_write: bool = False
    closing: bool = False


@dataclass
class Words:
    """All that was said in a turn, in order; ``withdrawn`` is what another agent was to sum up."""

    pieces: list[Said] = field(default_factory=list)
    withdrawn: list[Said] = field(default_factory=list)

    def add(self, piece: Said) -> None:
        if piece.text.strip():
            self.pieces.append(piece)

    @property
    def silent(self) -> bool:
        """Whether there is nothing that the author could read."""
        return not self.pieces and not self.withdrawn

    def of_run(self, run: int) -> str:
        """Everything that a run said."""
        return "\n\n".join(p.text.strip() for p in self.pieces if p.run == run)

    def closing(self, run: int) -> str:
        """What a run said after its last tool call."""
        return "\n\n".join(p.text.strip() for p in self.pieces if p.run == run and p.closing)

    def cut(self, passage: str) -> None:
        """Leave out a passage of what was said last, since it went into a file."""
        if self.pieces:
            last = self.pieces[-1]
            last.text = last.text.replace(passage.strip(), "").strip()
            self.pieces = [piece for piece in self.pieces if piece.text]

    def withdraw(self, agent: AgentRole) -> None:
        """Leave out how an agent summed up, since another one will: its closing words, and what it
        said after it had written."""
        gone = [p for p in self.pieces if p.agent == agent and (p.closing or p.after_write)]
        self.withdrawn += gone
        self.pieces = [p for p in self.pieces if p not in gone]

    def restore(self) -> None:
        """Take back what was withdrawn last when nobody spoke after it."""
        last = max((p.run for p in self.withdrawn), default=0)
        if last and not any(p.run > last for p in self.pieces):
            self.pieces += [p for p in self.withdrawn if p.run == last]
            self.withdrawn = []

    def withdraw_question(self, run: int) -> None:
        """Leave out the question that a run ended with, since nobody waits for its answer."""
        for piece in self.pieces:
            if piece.run == run and piece.closing:
                piece.text = without_question(piece.text)
        self.pieces = [p for p in self.pieces if p.text.strip()]


def assembled(words: Words, language: Language, question: str) -> str:
    """The reply: pieces parted by blank lines, a question that isn't among them at the end."""
    words.restore()
    parts = [_shaped(piece, language) for piece in words.pieces]
    text = "\n\n".join(part for part in parts if part)
    if question and question.strip() not in text:
        text = f"{text}\n\n{question.strip()}" if text else question.strip()
    return text


def _shaped(piece: Said, language: Language) -> str:
    text = piece.text.strip()
    if language != "zh" or not piece.before_tool:
        return text
    lines = text.splitlines()
    while lines and _is_process(lines[-1]):
        lines.pop()
    return "\n".join(lines).strip()


def _is_process(line: str) -> bool:
    """An English sentence, as models say to themselves; a Chinese name or title may stand in it."""
    words, han = len(_WORD.findall(line)), len(_HAN.findall(line))
    english = words > 1 if not han else words > 2 and words * 2 > han
    return not line.strip() or (len(line) <= _PROCESS and english)


def changed_files(turn: Turn) -> dict[str, FileChange]:
    """The files that this turn created, changed or deleted, by what is on the disk now."""
    if turn.book is None:
        return {}
    found: dict[str, FileChange] = {}
    for path, change in turn.files.changes.items():
        present = (turn.book.path / path).is_file()
        if present != (change == "deleted"):
            found[path] = change
    return found


def file_list(turn: Turn, prompts: Prompts, files: dict[str, FileChange]) -> str:
    """The list that ends a reply; "" when nothing was changed."""
    if not files or turn.book is None:
        return ""
    language = turn.book.config().language
    lines = []
    for path, change in files.items():
        text = turn.book.read(path) if change != "deleted" and path.endswith(".md") else None
        words = count_words(text, language) if text else 0
        lines.append((path, change, _counted(words, language, prompts.language)))
    return prompts.render("agent/files", files=lines)


def _counted(words: int, book: Language, reply: Language) -> str:
    if not words:
        return ""
    number = f"{words:,}"
    if reply == "zh":
        return f"{number} {'字' if book == 'zh' else '词'}"
    return f"{number} {'characters' if book == 'zh' else 'words'}"
