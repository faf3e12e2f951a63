"""Who a text names: by the name on the card, by an alias, in the possessive."""

import re
from collections.abc import Iterable, Mapping

LONGEST = 12
MOST_WORDS = 6

SHORTEST_PART = 3
STYLE = re.compile(
    "aunt|brother|captain|doctor|dr|father|king|lady|little|lord|madam|major|miss|mother|mr|mrs|ms"
    "|old|prince|princess|queen|reverend|saint|sergeant|sir|sister|st|the|uncle|young",
    re.I,
)
"""What stands before a name and is nobody's own."""

_HAN = re.compile("[\u3400-\u9fff]")
_RUN = re.compile("[0-9a-z\u3400-\u9fff·]*[\u3400-\u9fff][0-9a-z\u3400-\u9fff·]*")
_WORD = re.compile("[^\\W\u3400-\u9fff]+(?:['’-][^\\W\u3400-\u9fff]+)*['’]?")


class Names:
    """Every name and alias, mapped to the name that cards and state use."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = {alias: name for alias, name in known.items() if alias.strip()}

    def canonical(self, called: str) -> str:
        """The name that ``called`` stands for; itself when nobody is known by it."""
        return self._known.get(called, called)

    def aliases(self, name: str) -> list[str]:
        """Everything that ``name`` is called, the name itself first."""
        others = [a for a, n in self._known.items() if n == name and a != name]
        return [name, *others]

    def mentioned(self, text: str) -> list[str]:
        """The names of those whom the text names, in the order of their first mention.

        Of names within each other the longest counts. A single Chinese character is no name here:
        it stands in too many words.
        """
        folded = text.casefold()
        present = [
            alias
            for alias in self._known
            if alias.casefold() in folded and (len(alias) > 1 or not _HAN.match(alias))
        ]
        if not present:
            return []
        found = one_of(present).finditer(text)
        loose = {alias.casefold(): alias for alias in present}
        called = (loose.get(match.group().casefold(), "") for match in found)
        return list(dict.fromkeys(self._known[alias] for alias in called if alias))


def with_parts(known: Mapping[str, str]) -> dict[str, str]:
    """``known`` with the first and last words of names in letters (``Isa``, ``Rennie``).

    A word that two people share, or that is known already, names neither of them anew.
    """
    bearers: dict[str, set[str]] = {}
    for name in dict.fromkeys(known.values()):
        words = [word for word in name.split() if not _HAN.search(word)]
        for word in {words[0], words[-1]} if len(words) > 1 else ():
            if len(word) >= SHORTEST_PART and word[0].isupper() and not STYLE.fullmatch(word):
                bearers.setdefault(word, set()).add(name)
    parts = {word: next(iter(names)) for word, names in bearers.items() if len(names) == 1}
    return {**parts, **known}


class Named:
    """Which things a text names, whatever their letters' case: ``thing in Named(text)``.

    Thousands of them are asked for, so all that could be one is at hand: every run of up to
    ``LONGEST`` characters of Chinese, or of up to ``MOST_WORDS`` words.
    """

    def __init__(self, text: str) -> None:
        folded = text.casefold()
        self.grams: set[str] = set()
        for run in _RUN.findall(folded):
            for start in range(len(run) - 1):
                for end in range(start + 2, min(start + LONGEST, len(run)) + 1):
                    self.grams.add(run[start:end])
        words = _WORD.findall(folded)
        for spelt in (words, [re.sub("['’]s?$", "", word) for word in words]):
            for start in range(len(spelt)):
                for end in range(start + 1, min(start + MOST_WORDS, len(spelt)) + 1):
                    self.grams.add(" ".join(spelt[start:end]))

    def __contains__(self, thing: str) -> bool:
        return len(thing) > 1 and thing.casefold() in self.grams


def one_of(terms: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds each of these terms as a whole, the longest first.

    A term of letters begins and ends at a word's edge (``Mara`` is in ``Mara's``, not in
    ``Maraschino``); one that is written with a small letter in front is found with a capital too.
    """
    return re.compile("|".join(_pattern(t) for t in sorted(terms, key=lambda t: (-len(t), t))))


def _pattern(term: str) -> str:
    body = "['’]".join(map(re.escape, re.split("['’]", term)))
    if term[0].isalpha() and term[0].islower():
        body = f"(?i:{body})"
    left = r"(?<!\w)" if _latin(term[0]) else ""
    right = r"(?!\w)" if _latin(term[-1]) else ""
    return f"{left}{body}{right}"


def _latin(char: str) -> bool:
    return char.isalnum() and not _HAN.match(char)
