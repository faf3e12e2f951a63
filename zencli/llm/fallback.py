"""A model with others in reserve, for errors that another endpoint may not have."""

from collections.abc import Callable, Collection, Sequence

from zencli.errors import ModelError
from zencli.llm.profiles import Profile
from zencli.llm.types import Model, OnText, Reply, Request


class FallbackModel:
    """Asks ``first``, and after an error whose code is in ``codes`` the next of ``spares``.

    Which one answered is in the reply. Who failed isn't asked again in this process, apart from a
    model that only disliked the words of one request. ``tell`` gets a sentence for each change. A
    reply of which text was shown is never begun again: the error is raised, and the next request
    goes to the next model. ``name`` stays the first model's, so that kept replies are found again.
    """

    def __init__(
        self,
        first: Model,
        spares: Sequence[Callable[[], Model]],
        codes: Collection[str],
        tell: Callable[[str], None],
    ) -> None:
        self.name = first.name
        self._made = [first]
        self._spares = list(spares)
        self._codes = codes
        self._tell = tell
        self._at = 0

    @property
    def profile(self) -> Profile:
        """The profile of the model that is asked next."""
        return self._model(self._at).profile

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer ``request``. Raises the ``ModelError`` of the last model when all fail."""
        at, shown = self._at, False

        def hand_on(piece: str) -> None:
            nonlocal shown
            shown = True
            if on_text is not None:
                on_text(piece)

        while True:
            try:
                return self._model(at).complete(request, hand_on if on_text else None)
            except ModelError as error:
                if error.code not in self._codes or at == len(self._spares):
                    raise
                at += 1
                if error.code != "llm.refused":
                    self._at = at
                self._tell(f"{error.message} Asking {self._model(at).name} instead.")
                if shown:
                    raise

    def reject(self, request: Request) -> None:
        """Pass it on to those who were asked."""
        for model in self._made:
            model.reject(request)

    def close(self) -> None:
        """Close all that were made."""
        for model in self._made:
            model.close()

    def _model(self, at: int) -> Model:
        while len(self._made) <= at:
            self._made.append(self._spares[len(self._made) - 1]())
        return self._made[at]
