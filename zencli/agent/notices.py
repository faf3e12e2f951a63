"""Sentences of the program for the author, in the language that he writes."""

from zencli.story.book import Language

_WORDS: dict[str, dict[Language, str]] = {
    "read_only": {
        "zh": "这一轮只看不改：没有交给会改文件的角色，文件都没动。",
        "en": "This turn is read-only: no file was touched, and nobody was called in who would.",
    },
    "handoff_held": {
        "zh": "先等你回答；之后由 {agent} 接手。",
        "en": "Waiting for your answer; {agent} takes over then.",
    },
    "draft": {
        "zh": "没写完的正文存成了草稿：{path}",
        "en": "The unfinished text is kept as a draft: {path}",
    },
    "empty_removed": {
        "zh": "没有写出正文的空文件没有留下：{path}",
        "en": "A file that got no text wasn't kept: {path}",
    },
    "what_to_change": {
        "zh": "想改哪一处，改成什么样？",
        "en": "What should be changed, and how?",
    },
    "heard": {"zh": "收到：{text}", "en": "Heard: {text}"},
    "unsettled": {
        "zh": "改过的章节还没记进故事的账：zencli sync 会补上。",
        "en": "These chapters aren't entered into the story's state yet: zencli sync does it.",
    },
}


def notice_text(code: str, language: Language, **values: object) -> str:
    """The sentence for a code."""
    return _WORDS[code][language].format(**values)
