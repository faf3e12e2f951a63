"""Where a call goes, as messages may show it: without keys, passwords and queries."""

import base64
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_KEYLIKE = re.compile(r"\b(sk|key|Bearer|Basic)[-_ ][\w*.+/=-]{6,}")
_AUTHORIZATION = re.compile(r"(authorization\W{1,4})[^\s,;}\"']+( [^\s,;}\"']+)?", re.IGNORECASE)
SHORTEST_SECRET = 6
"""A shorter value of a query is more likely to be a version or a flag than a key."""


def masked_url(url: str) -> str:
    """A URL without user, password, query, fragment and a key in its path, even one that can't be
    parsed."""
    plain = re.sub(r"[?#].*", "", re.sub(r"//.*@", "//", url))
    return re.sub(r"/sk-[\w-]{6,}", "/***", plain)


@dataclass(frozen=True)
class Place:
    """A model at an endpoint. The key is here only to be taken out of what is shown."""

    base_url: str = field(repr=False)
    model: str
    key: str = field(repr=False)

    @property
    def shown(self) -> str:
        """``model at URL``, without what may be a secret in the URL."""
        return self.masked(f"{self.model} at {masked_url(self.base_url)}")

    def quoted(self, said: str) -> str:
        """What a server said, on one line, short, without anything that looks like a key."""
        if said.lstrip()[:1] == "<":
            return "(a web page)"
        text = " ".join(self.cleaned(said).split())
        return text if len(text) <= 200 else text[:197] + "..."

    def cleaned(self, said: str) -> str:
        """``said`` without the secrets of this place and anything that looks like a key."""
        return _KEYLIKE.sub("***", _AUTHORIZATION.sub(r"\1***", self.masked(said)))

    def masked(self, text: str) -> str:
        """``text`` without the secrets of this place."""
        for secret in self._secrets():
            text = text.replace(secret, "***")
        return text

    def _secrets(self) -> list[str]:
        """Everything that must not show, the longest first, so that no rest of it stays."""
        found = {self.key, quote(self.key, safe="")}
        try:
            parts = urlsplit(self.base_url)
            pairs = parse_qsl(parts.query)
            user, password = parts.username or "", parts.password or ""
        except ValueError:
            pairs, user, password = [], "", ""
        if password:
            plain = f"{unquote(user)}:{unquote(password)}".encode()
            found |= {password, unquote(password), base64.b64encode(plain).decode()}
        found |= {value for _, value in pairs if len(value) >= SHORTEST_SECRET}
        return sorted(filter(None, found), key=len, reverse=True)
