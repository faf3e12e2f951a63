"""The embedded model: SmolLM2-135M-Instruct on the CPU, in this process, by llama.cpp.

It lives in threads of this process, so it ends with it, however it ends. It is served on a free
loopback port, behind a key made at random, and reached like any other endpoint.
"""

import atexit
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from zencli.errors import ModelError
from zencli.llm.client import OpenAIModel
from zencli.llm.deadlines import LOCAL, Deadlines
from zencli.llm.model_file import cache_dir, install, installed, require, verify
from zencli.llm.place import Place
from zencli.llm.profiles import PROFILES, Profile
from zencli.llm.tape import Tape
from zencli.llm.tokenizer import Tokenizer
from zencli.llm.transport import Network
from zencli.llm.types import OnText, Reply, Request

__all__ = ["EmbeddedModel", "cache_dir", "install", "installed", "verify"]

NAME = "smollm2-135m-instruct"
READING_THREADS = 2
WRITING_THREADS = 1
"""Two threads that write wait for each other at every layer: 1.6 times as fast on two idle cores,
but up to forty times as slow as one when anything else runs."""
NO_SPINNING = 0
SILENT = 0
HOTTEST_JSON, HOTTEST_PROSE = 0.5, 0.8
"""Highest temperatures: above them this model's phrases, or its sentences, fall apart."""


class EmbeddedModel:
    """The default model: free, offline, and no more than a toy. Its server starts at first use."""

    def __init__(
        self,
        profile: Profile = PROFILES["embedded"],
        deadlines: Deadlines = LOCAL,
        tape: Tape | None = None,
    ) -> None:
        self.name = NAME
        self._profile = profile
        self._deadlines = deadlines
        self._tape = tape
        self._server: Any = None
        self._client: OpenAIModel | None = None

    @property
    def profile(self) -> Profile:
        """The profile of the embedded model."""
        return self._client.profile if self._client else self._profile

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer ``request``; the first call loads the model, which takes about half a second.

        Raises ``ModelError`` llm.not_installed or llm.model_damaged when there is no whole model
        file or no llama.cpp, and what ``OpenAIModel.complete`` raises.
        """
        hottest = HOTTEST_PROSE if request.schema is None else HOTTEST_JSON
        asked = hottest if request.temperature is None else request.temperature
        request = replace(request, temperature=min(asked, hottest))
        return self._running().complete(request, on_text)

    def count(self, request: Request) -> int | None:
        """How many tokens the request is, by the model's own tokenizer."""
        return self._running().count(request)

    def listed(self) -> list[dict[str, Any]]:
        """This one."""
        return [{"id": self.name, "n_ctx": self._profile.window}]

    def adapt(self, **changes: Any) -> None:
        """Go on with another profile."""
        self._running().adapt(**changes)

    def told_limits(self, request: Request) -> Profile:
        """Its limits are known."""
        return self.profile

    def reject(self, request: Request) -> None:
        """Nothing is kept, so there is nothing to forget."""

    def close(self) -> None:
        """Stop the server and free its port and memory."""
        if self._client is not None:
            self._client.close()
        self._client = None
        self._server = None
        atexit.unregister(self.close)

    def _running(self) -> OpenAIModel:
        if self._client is None:
            self._client = self._start()
        return self._client

    def _start(self) -> OpenAIModel:
        if self._tape is not None and not self._tape.live:
            return self._client_of("http://127.0.0.1:1/v1", "")
        path = require()
        key = secrets.token_urlsafe(24)
        self._server = _serve(path, key, self._profile.window)
        # Its threads must not run on while the interpreter is taken down around them.
        atexit.register(self.close)
        return self._client_of(f"{self._server.listening_address}/v1", key)

    def _client_of(self, base_url: str, key: str) -> OpenAIModel:
        transport, tokenizer = None, Tokenizer(base_url, key, self._profile)
        if self._tape is not None:
            place = Place(base_url, self.name, key)
            transport = self._tape.transport(place, lambda: Network(base_url, key))
        return OpenAIModel(
            base_url,
            self.name,
            key,
            self._profile,
            self._deadlines,
            transport=transport,
            count=tokenizer.count if self._tape is None else None,
        )


def _serve(path: Path, key: str, window: int) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise ModelError(
            "llm.not_installed",
            "llama.cpp isn't installed: the embedded model can't run.",
            "Run `pip install 'zencli[local]'`, or set ZENCLI_BASE_URL and ZENCLI_MODEL to use"
            " another model.",
        ) from None
    params = xllamacpp.CommonParams()
    params.verbosity = SILENT
    params.model.path = str(path)
    params.n_ctx = window
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = WRITING_THREADS
    params.cpuparams_batch.n_threads = READING_THREADS
    params.cpuparams.poll = params.cpuparams_batch.poll = NO_SPINNING
    params.warmup = False
    params.api_keys = [key]
    params.ui = False
    params.endpoint_slots = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelError(
            "llm.not_installed",
            f"The embedded model can't be started: {error}",
            "Free some memory (about 500 MB are needed), or set ZENCLI_BASE_URL and ZENCLI_MODEL"
            " to use another model.",
        ) from error
