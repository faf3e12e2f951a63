"""Where each check begins to speak, by language. ``book.toml`` may change any of them by its name.

Shares are 0 to 1. Beside each: what human chapters reach, as measured (三国演义 zh, 120 chapters;
Moby Dick, Emma, Pride and Prejudice en, 251 together; compared with the five chapters before).
"""

from collections.abc import Mapping

from zencli.story.book import Language

THRESHOLDS: Mapping[str, tuple[float, float]] = {
    # name: (zh, en)
    "length.critical": (0.3, 0.3),  # share of the asked length under which a chapter is none
    "repetition.warn": (0.02, 0.015),  # share of repeated runs; human at most 0.009, 0.023
    "repetition.fail": (0.05, 0.04),
    "repetition.least": (20, 20),  # repeated runs under which no share is judged (short texts)
    "repetition.passage": (30, 20),  # words of one passage said twice; human under 20, one of 29
    "overlap.warn": (0.01, 0.005),  # share of long runs from earlier chapters; human 0.001, 0.004
    "overlap.fail": (0.03, 0.03),
    "overlap.least": (12, 8),
    "reused-sentence.chapters": (3, 3),  # chapters with the same long sentence, this one counted
    "ai-typical.warn": (5.0, 5.0),  # weight per thousand units; human at most 0.7, 2.4
    "ai-typical.least": (4.0, 4.0),  # weight under which no density is judged (short texts)
    "sentence-variation.warn": (0.45, 0.45),  # deviation over mean; human 0.50; 0.40 once
    "sentence-variation.least": (30, 30),  # sentences under which rhythm isn't judged
    "paragraph-shape.single": (0.8, 0.8),  # share of narrative paragraphs with one short sentence
    "paragraph-shape.least": (15, 15),  # such paragraphs under which their share isn't judged
    "paragraph-shape.wall": (1500, 1000),  # units in a text of one or two paragraphs
    "opening-repeat.alike": (0.6, 0.6),  # shared pairs between two openings
    "ending-repeat.alike": (0.6, 0.6),
    "fatigue-words.least": (5, 5),  # times in a chapter under which a word doesn't tire
    "fatigue-words.info": (2.0, 2.5),  # times of one word per thousand units
    "fatigue-words.warn": (3.5, 4.5),
    "sentence-start.run": (6, 6),  # narrative sentences in a row that begin alike
    "pov-drift.least": (4, 5),  # narrative sentences with "I" in a third-person book
    "pov-drift.share": (0.05, 0.06),  # and their share of all narrative sentences
    "pov-drift.narrative": (30, 30),  # narrative sentences under which no narrator is missed
    "pov-drift.narrator": (0.02, 0.02),  # share of them with "I" in a first-person book
    "head-hopping.people": (2, 2),  # people whose inner life one scene tells
    "head-hopping.views": (2, 2),  # times each
    "dead-acting.critical": (3, 3),  # places where a dead person speaks or acts
    "absent-acting.least": (1, 1),  # places where an absent person speaks
    "unknown-name.info": (2, 3),  # times that a name nobody knows speaks
    "unknown-name.warn": (6, 8),
    "hook-overdue.info": (1, 1),  # chapters past the last one
    "hook-overdue.warn": (5, 5),
    "style-distance.info": (1.0, 1.5),  # spreads of the sample, on average
    "style-distance.warn": (1.6, 2.2),
    "language.share": (0.15, 0.01),  # zh: Latin words per unit; en: Han characters per word
    "language.least": (12, 10),  # words or characters of the other script in the chapter
}


def threshold(name: str, language: Language, changed: Mapping[str, float]) -> float:
    """The value in force: the book's own, else the default of its language."""
    return changed.get(name, THRESHOLDS[name][0 if language == "zh" else 1])
