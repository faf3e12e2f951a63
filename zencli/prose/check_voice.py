"""How far is the chapter from the text that the book's style was learnt from?"""

from collections.abc import Iterator

from zencli.prose.count import count_words
from zencli.prose.finding import CheckContext, report
from zencli.prose.fingerprint import PIECE, distance, features
from zencli.prose.style_block import FEATURE_NAMES
from zencli.story.findings import Finding

_NAMED = 3


def far_from_sample(text: str, context: CheckContext) -> Iterator[Finding]:
    """The distance to the sample's fingerprint: info from ``style-distance.info`` on, warning from
    ``style-distance.warn`` on, with the features that are farthest. Nothing without a sample."""
    reference, language = context.fingerprint, context.language
    if reference is None or count_words(text, language) < PIECE[language] // 2:
        return
    value, ranked = distance(text, language, reference)
    if value < context.limit("style-distance.info"):
        return
    mine = features(text, language)
    told = [
        f"{FEATURE_NAMES[name][language]} {mine[name]:.3g} ({reference.means[name]:.3g})"
        for name in ranked[:_NAMED]
    ]
    yield report(
        context,
        "style-distance",
        "warning" if value >= context.limit("style-distance.warn") else "info",
        value=f"{value:.2f}",
        limit=f"{context.limit('style-distance.info'):g}",
        features=("；" if language == "zh" else "; ").join(told),
    )
