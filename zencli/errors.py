"""Errors are values: a stable code, a sentence, a hint. ``cli`` makes text and exit codes of them.

ZencliError
+-- UsageError      usage.*                 exit 2
+-- NotFound        *.not_found, ...        exit 2
+-- JudgedError     audit.*, revise.*       exit 3
+-- NeedsAuthor     agent.question, ...     exit 4
+-- ModelError      llm.*                   exit 5
+-- BudgetError     budget.*                exit 6
+-- BusyError       book.busy               exit 7
+-- DamagedError    book.damaged            exit 8
+-- Interrupted     interrupted             exit 130
"""


class ZencliError(Exception):
    """Base of all expected failures.

    ``code`` is a stable dotted word that scripts may test, ``message`` one sentence that says what
    is wrong, ``hint`` one that says what to do (may be empty).
    """

    exit_code = 1

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class UsageError(ZencliError):
    """An option, argument or input file is wrong; nothing was changed and no model was called."""

    exit_code = 2


class NotFound(UsageError):
    """A book, chapter or file that was named doesn't exist."""


class JudgedError(ZencliError):
    """The work was done and judged not good enough."""

    exit_code = 3


class NeedsAuthor(ZencliError):
    """Only the author can decide: a question, or a confirmation without ``--yes``."""

    exit_code = 4


class Interrupted(ZencliError):
    """Ctrl-C, or the same from outside."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__(
            "interrupted",
            "Interrupted; everything committed is kept.",
            "Give the same command again to go on.",
        )


class ModelError(ZencliError):
    """The model or its endpoint failed."""

    exit_code = 5


class BudgetError(ZencliError):
    """A limit on money, tokens or steps stopped the run before the next call."""

    exit_code = 6


class BusyError(ZencliError):
    """Another run holds the lock of the book."""

    exit_code = 7


class DamagedError(ZencliError):
    """A file of the book can't be read; it is left as it is."""

    exit_code = 8
