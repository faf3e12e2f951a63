"""Exact numbers of tokens, from the llama.cpp server that will read them."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from zencli.llm import wire
from zencli.llm.profiles import Profile
from zencli.llm.types import Request

SECONDS = 20.0


class Tokenizer:
    """Counts as the server at ``address`` does, its chat template included."""

    def __init__(self, address: str, key: str, profile: Profile) -> None:
        parts = urlsplit(address)
        self._host = parts.hostname or ""
        self._port = parts.port
        self._headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        self._profile = profile
        self._last: tuple[Request | None, int | None] = (None, None)

    def count(self, request: Request) -> int | None:
        """How many tokens the request is; None when the server doesn't say."""
        if self._last[0] is not request:
            self._last = (request, self._counted(request))
        return self._last[1]

    def _counted(self, request: Request) -> int | None:
        told = wire.messages(request, self._profile)
        try:
            prompt = self._asked("/apply-template", {"messages": told})["prompt"]
            counted = {"content": prompt, "add_special": True, "parse_special": True}
            return len(self._asked("/tokenize", counted)["tokens"])
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
            return None

    def _asked(self, path: str, body: dict[str, Any]) -> Any:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)
        try:
            connection.request("POST", path, json.dumps(body), self._headers)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()
