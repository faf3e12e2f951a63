"""What each dimension of a finding stands for, for readers who don't know zencli."""

DIMENSIONS = {
    "ai-typical": "Stock turns of phrase that are typical of machine-made prose.",
    "banned": "Phrases that the book's own rules ban.",
    "character": "Someone acts or speaks out of character, or without a motive.",
    "clarity": "The reader can't follow what happens, who is meant, or why.",
    "continuity": "The chapter contradicts what the story has established.",
    "disclosure": "Something is given away that the reader must not know yet.",
    "empty": "The chapter has no prose.",
    "ending-repeat": "The chapter ends like a recent one.",
    "language": "Passages in another language than the book's.",
    "length": "The chapter is much longer or shorter than was asked.",
    "markdown": "Headings, lists, bold type or tables in the prose.",
    "meta-text": "The prose speaks of the draft, or a writing assistant speaks in it.",
    "opening-repeat": "The chapter opens like a recent one.",
    "overlap": "The chapter copies recent chapters.",
    "paragraph-shape": "Too many single-sentence paragraphs, or too few paragraphs.",
    "plan": "The chapter doesn't do what its plan promised.",
    "prose": "Wording that a careful editor would change.",
    "repetition": "The chapter repeats itself.",
    "reused-sentence": "A sentence that recent chapters have already used.",
    "sentence-variation": "Sentences are too even in length.",
    "truncated": "The text stops before it is finished.",
}


def describe(dimension: str) -> str:
    """A sentence about a dimension; the dimension itself when it has none."""
    return DIMENSIONS.get(dimension, dimension)
