"""What the model tests share besides fixtures."""

from collections.abc import Callable

import pytest

from zencli.errors import ModelError
from zencli.llm.client import OpenAIModel
from zencli.llm.types import Message, Request

KEY = "sk-test-0123456789abcdef"

MakeModel = Callable[..., OpenAIModel]

ASK = Request("write", (Message("system", "You write."), Message("user", "Write.")))


def failing(model: OpenAIModel, request: Request = ASK) -> ModelError:
    """The error that the call ends with."""
    with pytest.raises(ModelError) as caught:
        model.complete(request)
    return caught.value
