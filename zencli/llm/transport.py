"""The network. The only module that imports openai, at the first call."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from zencli.llm.deadlines import Watch
from zencli.llm.exchange import Answer, Broken, is_loopback

NO_KEY = "none"
"""Sent where no key is given: local servers want one and don't look at it."""


class Network:
    """An endpoint at ``base_url``, used exactly as typed; its query goes with every request."""

    def __init__(self, base_url: str, key: str) -> None:
        self._base_url = base_url
        self._key = key
        self._client: Any = None

    @contextmanager
    def send(self, step: str, body: dict[str, Any], watch: Watch) -> Iterator[Answer]:
        """Ask for a chat completion; nobody outside is told the ``step``."""
        client = self._opened()
        create = client.chat.completions.with_streaming_response.create
        with ExitStack() as stack:
            answer = self._begin(lambda **more: stack.enter_context(create(**body, **more)), watch)
            if not isinstance(answer, Answer):
                http = answer.http_response
                stack.callback(watch.release)
                if (stream := http.extensions.get("network_stream")) is not None:
                    watch.guard(stream.get_extra_info("socket"))
                    # the watch knows better how long the next token may take
                    http.request.extensions.get("timeout", {})["read"] = None
                answer = Answer(http.status_code, dict(http.headers), _pieces(http, watch))
            yield answer

    def models(self, watch: Watch) -> Answer:
        """Ask which models there are."""
        answer = self._begin(self._opened().models.with_raw_response.list, watch)
        if isinstance(answer, Answer):
            return answer
        http = answer.http_response
        return Answer(http.status_code, dict(http.headers), [http.content])

    def embeddings(self, body: dict[str, Any], watch: Watch) -> Answer:
        """Ask for the vectors of texts."""
        create = self._opened().embeddings.with_raw_response.create
        answer = self._begin(lambda **more: create(**body, **more), watch)
        if isinstance(answer, Answer):
            return answer
        http = answer.http_response
        return Answer(http.status_code, dict(http.headers), [http.content])

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _begin(self, start: Any, watch: Watch) -> Any:
        """What ``start`` returns, or an ``Answer`` with an error status."""
        import httpx2
        import openai

        limit = openai.Timeout(watch.left(), connect=min(watch.deadlines.connect, watch.left()))
        try:
            return start(timeout=limit)
        except openai.APIStatusError as error:
            headers = dict(error.response.headers)
            return Answer(error.status_code, headers, [error.response.content])
        except (openai.APIConnectionError, httpx2.RequestError) as error:
            raise _broken(error, watch) from None

    def _opened(self) -> Any:
        import httpx2
        import openai

        if self._client is None:
            # its log tells whole URLs, with what is secret in them, to whoever turned logging on
            logging.getLogger("httpx2").setLevel(logging.WARNING)
            parts = urlsplit(self._base_url)
            plain = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
            # A proxy of the environment can't reach this machine's own loopback.
            own = is_loopback(self._base_url)
            try:
                self._client = openai.OpenAI(
                    base_url=plain,
                    api_key=self._key or NO_KEY,
                    default_query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                    max_retries=0,
                    http_client=openai.DefaultHttpxClient(trust_env=False) if own else None,
                )
            except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
                raise Broken("connect", type(error).__name__) from None
        return self._client


def _pieces(http: Any, watch: Watch) -> Iterator[bytes]:
    import httpx2

    try:
        for piece in http.iter_bytes():
            if not watch.check():
                break
            yield piece
    except httpx2.HTTPError as error:
        if watch.late is None:
            raise _broken(error, watch) from None
    if watch.late is not None:
        raise Broken("late", limit=watch.late)


def _broken(error: Exception, watch: Watch) -> Broken:
    import httpx2

    chain = (error, error.__cause__)
    if any(isinstance(e, httpx2.ConnectTimeout) for e in chain):
        return Broken("late", limit="connect")
    if any(isinstance(e, httpx2.TimeoutException) for e in chain):
        return Broken("late", limit=watch.waiting_for())
    said = str(error.__cause__ or error) or type(error.__cause__ or error).__name__
    reached = not any(isinstance(e, httpx2.ConnectError) for e in chain)
    return Broken("read" if reached else "connect", said)
