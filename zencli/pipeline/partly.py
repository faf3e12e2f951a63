"""A run that was stopped after some of its work was committed."""

from typing import Generic, TypeVar

from zencli.errors import Interrupted, ZencliError
from zencli.pipeline.results import Result

R = TypeVar("R", bound=Result)


class PartlyDone(ZencliError, Generic[R]):
    """What stopped the run, with its code and words; ``result`` tells what was done before."""

    def __init__(self, cause: ZencliError | KeyboardInterrupt, result: R) -> None:
        error = cause if isinstance(cause, ZencliError) else Interrupted()
        super().__init__(error.code, error.message, error.hint)
        self.exit_code = error.exit_code
        self.result = result
