"""A conversation on a terminal: messages of one or more lines, commands, Ctrl-C stops a turn."""

import os
import select
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from zencli.agent.agent_params import AgentTurn
from zencli.cli.agent import agents, asked, choice, fill, watcher
from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.terminal import safe
from zencli.errors import ZencliError

if TYPE_CHECKING:
    from zencli.agent.talk import Talk

PROMPT, MORE = "> ", ". "
BLOCK = '"""'
HELP = """\
Type what you want. A line that ends in \\ goes on; \"\"\" begins and ends a message of many lines.
What you type while the agents work is taken up when one of them comes to an end.
Ctrl-C stops a turn; what was saved is kept.
/files  what this conversation changed   /undo  take the last turn back   /quit  leave"""


def converse(invocation: Invocation, params: AgentTurn, outcome: Outcome) -> None:
    """Talk until the author leaves; the last turn is the command's outcome."""
    with suppress(ImportError):
        import readline  # noqa: F401  editing and history of what is typed

    with agents(invocation, watcher(invocation)).talk(choice(params)) as talk:
        _Conversation(invocation, params, talk, outcome).run()
    outcome.text, outcome.error = "", None  # each turn was answered; to leave is no failure


class _Conversation:
    def __init__(
        self, invocation: Invocation, params: AgentTurn, talk: "Talk", outcome: Outcome
    ) -> None:
        self._invocation = invocation
        self._params = params
        self._talk = talk
        self._outcome = outcome
        self._files: dict[str, str] = {}
        self._runs: list[str] = []
        self._over = False

    def run(self) -> None:
        """Read and answer messages until the end."""
        self._say(f"Session {self._talk.session.id}. /help lists the commands.")
        while not self._over:
            try:
                message = read_message()
            except EOFError:
                self._say("")
                return
            except KeyboardInterrupt:
                self._say("\n/quit or Ctrl-D leaves.")
                continue
            if message.startswith("/"):
                self._command(message)
            elif message.strip():
                self._turn(message)

    def _command(self, word: str) -> None:
        if word in ("/quit", "/exit"):
            self._over = True
        elif word == "/files":
            lines = [f"{change} {path}" for path, change in self._files.items()]
            self._say("\n".join(lines) or "Nothing was changed.")
        elif word == "/undo":
            self._undo()
        else:
            self._say(HELP)

    def _turn(self, message: str) -> None:
        try:
            wanted = asked(self._params, message, confirmed=self._invocation.yes)
            typed = Typed()
            turned = self._talk.turn(wanted, heard=typed)
        except ZencliError as error:
            self._say(f"{error.message}\n{error.hint}")
            self._outcome.error = error
            return
        except KeyboardInterrupt:
            self._say("Stopped.")
            return
        fill(self._outcome, turned)
        self._say(f"\n{turned.result.reply}\n")
        if turned.error is not None and turned.error.code != "agent.question":
            self._say(turned.error.message)
        if turned.result.files:
            self._runs.append(turned.result.run)
            self._files |= {f.path: f.change for f in turned.result.files}
        self._params = self._params.model_copy(update={"file": (), "attach": (), "quote": ()})
        for word in typed.commands:
            self._command(word)

    def _undo(self) -> None:
        from zencli.pipeline.params import Undo
        from zencli.pipeline.runner import Runner
        from zencli.pipeline.session import RunOptions

        if not self._runs or self._talk.book is None:
            self._say("There is no turn to take back.")
            return
        runner = Runner(self._invocation.root, RunOptions(confirmed=self._invocation.yes))
        try:
            done = runner.undo(Undo(book_id=self._talk.book.id, run=self._runs[-1]))
        except ZencliError as error:
            self._say(f"{error.message}\n{error.hint}")
            return
        self._runs.pop()
        if done.trash is not None:
            self._say(f"Taken back: the book is now in {done.trash}.")
            self._over = True
            return
        for file in done.files:
            self._files.pop(file.path, None)
        self._say("\n".join(["Taken back.", *(f"{f.change} {f.path}" for f in done.files)]))

    def _say(self, text: str) -> None:
        sys.stdout.write(safe(text).rstrip("\n") + "\n")
        sys.stdout.flush()


def read_message() -> str:
    """A message from the terminal: one line, lines that end in a backslash, or a block."""
    line = input(PROMPT)
    if line.strip() == BLOCK:
        lines: list[str] = []
        while (line := input(MORE)).strip() != BLOCK:
            lines.append(line)
        return "\n".join(lines)
    lines = []
    while line.endswith("\\"):
        lines.append(line[:-1])
        line = input(MORE)
    return "\n".join([*lines, line]).strip()


class Typed:
    """What was typed since the last look, in whole lines; ``commands`` wait for the turn's end."""

    def __init__(self) -> None:
        self._rest = b""
        self.commands: list[str] = []

    def __call__(self) -> Sequence[str]:
        handle = sys.stdin.fileno()
        while select.select([handle], [], [], 0)[0]:
            data = os.read(handle, 65_536)
            if not data:
                break
            self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        typed = [line.decode("utf-8", "replace").strip() for line in lines]
        self.commands += [line for line in typed if line.startswith("/")]
        return [line for line in typed if line and not line.startswith("/")]
