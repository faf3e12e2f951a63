"""Thinking that a model wrote into its content, in ``<think>`` tags, told apart from the text."""

import re

_OPEN, _CLOSE = "<think>", "</think>"
_BLOCK = re.compile(r"<think>(.*?)</think>", re.DOTALL)


def split_thinking(content: str) -> tuple[str, str]:
    """``(text, thinking)`` of a whole reply.

    Some servers put the opening tag into the prompt, so a closing tag alone ends thinking that
    began with the reply; an opening tag alone means that the reply ended while thinking.
    """
    if _OPEN not in content and _CLOSE not in content:
        return content, ""
    thoughts = _BLOCK.findall(content)
    text = _BLOCK.sub("", content)
    if _CLOSE in text:
        before, _, text = text.rpartition(_CLOSE)
        thoughts.insert(0, before)
    if _OPEN in text:
        text, _, after = text.partition(_OPEN)
        thoughts.append(after)
    return text.lstrip(), "\n".join(thought.strip() for thought in thoughts)


class ThinkingFilter:
    """Leaves thinking out of a stream, whatever pieces its tags come in."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, piece: str) -> str:
        """The text of ``piece`` that may be shown by now."""
        self._held += piece
        shown = ""
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                break
            shown += "" if self._thinking else before
            self._held, self._thinking = after, not self._thinking
        keep = _tag_start(self._held, tag)
        ready, self._held = self._held[: len(self._held) - keep], self._held[-keep:] if keep else ""
        return self._begin(shown + ("" if self._thinking else ready))

    def end(self) -> str:
        """What was held back because it might have been the start of a tag."""
        rest, self._held = self._held, ""
        return "" if self._thinking else self._begin(rest)

    def _begin(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def _tag_start(text: str, tag: str) -> int:
    """How many characters at the end of ``text`` may be the start of ``tag``."""
    return next((n for n in range(len(tag) - 1, 0, -1) if text.endswith(tag[:n])), 0)
