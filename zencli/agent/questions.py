"""Reading what was said: a question to the author, a proposal, a yes, a wish without an object."""

import re
from collections.abc import Sequence

MOST_VAGUE = 16
MOST_SHORT = 40
MOST_OPTIONS = 6
"""Options below a question; a longer list below one is something else."""

_MARKS = " \t*_`”」』\"'’）)】]>#-—。.～~"
_QUESTION = re.compile(r"[?？]$")
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?[0-9A-Za-z一二三四五六七八九十]{1,2}[.)）、:：])\s*")

_IMPROVE = (
    "优化|润色|修改|改进|改善|完善|提升|调整|打磨|美化|修一修|修一下|改一改|改一下|改改|改好|润一下"
    "|精修|改|修改一下"
)
_VAGUE_ZH = re.compile(
    rf"(?:请|麻烦|可以|能不能|能否|你|您|来|先|再|给我|帮我|帮忙|帮|把它|把这个|再|好好|全部|整体)*"
    rf"(?:{_IMPROVE})(?:一下|一遍|下|吧|呗|啊|呀|吗|可以吗|好吗"
    r"|一点|点|得更好|更好|它|这个|[。！!？?~～，, ])*"
)
_VAGUE_EN = re.compile(
    r"(?:please |can you |could you |just |now )*"
    r"(?:improve|polish|fix|edit|revise|refine|tweak|rework|enhance|optimi[sz]e|clean up|tidy up)"
    r"(?: (?:it|this|that|everything|things))?(?: (?:a bit|up|more|please|for me|now))*[.!?]*"
    r"|make (?:it|this|that|everything) better[.!?]*",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"要我|需要我|要不要|是否需要|是否要|用不用|我(?:可以|来|帮)|接下来(?:要|我)|可以开始|现在(?:就)?(?:开始|写)"
    r"|\b(?:shall|should) (?:i|we)\b|\b(?:do|would) you (?:want|like) (?:me )?to\b"
    r"|\bwant me to\b|\bi (?:can|could)\b|\bready for me to\b",
    re.IGNORECASE,
)
_EDIT = re.compile(
    r"改|修|润|删|替换|调整|补|优化|edit|change|fix|revise|rewrite|cut|polish|replace|adjust|trim",
    re.IGNORECASE,
)
_YES = (
    "嗯+|好+|好的|[写改来做]吧|可以|行|要|是|是的|对|没问题|同意|就这样|就这么办|按你说?的?|继续|开始|当然|需要"
    "|yes|yeah|yep|yup|sure|ok|okay|please do|do it|do that|go ahead|go on|fine|sounds good"
    "|of course|absolutely|right|agreed"
)
_FILLER = (
    "吧|啊|呀|呢|的|了|哦|你|写|做|办|改|来|就|please|thanks|thank you|谢谢|请"
    "|(?:do|write|make|use|try) (?:it|that|this)|then|now"
)
_AGREEMENT = re.compile(rf"(?:(?:{_YES}|{_FILLER})[\s,.!，。！、~～;；]*)+")
_A_YES = re.compile(_YES)
_YES_AND = re.compile(
    r"(?:好的?|可以|行|没问题|yes|yeah|sure|okay|ok)\s*[,，、.。!！;；](?P<more>.*)", re.DOTALL
)
_BUT = re.compile(r"\s*(?:但|不过|先|别|不|算了|but\b|first\b|no\b|not\b|don['’]?t|never)")
_CONTINUE = re.compile(
    r"(?:请|那就?|嗯|好的?|ok)?[，, ]*(?:继续|接着|接着来|接着写|继续写|继续吧|接着做|继续做"
    r"|往下写|往下|别停|continue|go on|keep going|carry on|resume|proceed)"
    r"(?:一下|下去|吧|啊|,? ?please)*[。.!！ ]*",
    re.IGNORECASE,
)


def final_question(text: str) -> str:
    """The question that a text ends with, "" when it ends otherwise.

    That is a last line that ends in a question mark, a list of questions, or a question with the
    options that are listed below it.
    """
    lines = text.rstrip().splitlines()
    return "\n".join(line.strip() for line in lines[_question_at(lines) :] if line.strip())


def without_question(text: str) -> str:
    """The text up to the question that it ends with."""
    lines = text.rstrip().splitlines()
    return "\n".join(lines[: _question_at(lines)]).rstrip()


def _question_at(lines: Sequence[str]) -> int:
    """The line where the final question begins, the number of lines when there is none."""
    at = end = len(lines)
    while at and (_ITEM.match(lines[at - 1]) or not lines[at - 1].strip()):
        at -= 1
    listed = [line for line in lines[at:] if line.strip()]
    if at and _asks(lines[at - 1]) and len(listed) <= MOST_OPTIONS:
        return at - 1
    while end and (not lines[end - 1].strip() or (_asks(lines[end - 1]) and end > at)):
        end -= 1
    return end if listed and _asks(listed[-1]) else len(lines)


def _asks(line: str) -> bool:
    return bool(_QUESTION.search(line.rstrip(_MARKS)))


def is_vague_edit(message: str) -> bool:
    """Whether a message is a wish to improve and names nothing: at most 16 characters."""
    text = message.strip()
    if len(text) > MOST_VAGUE:
        return False
    return bool(_VAGUE_ZH.fullmatch("".join(text.split())) or _VAGUE_EN.fullmatch(text))


def is_continue(message: str) -> bool:
    """Whether a message says no more than "go on"."""
    return bool(_CONTINUE.fullmatch(message.strip()))


def is_agreement(message: str) -> bool:
    """Whether a short reply is a yes, plain or with a wish after it."""
    text = message.strip().lower()
    if not text or len(text) > MOST_SHORT or not _A_YES.search(text):
        return False
    more = _YES_AND.fullmatch(text)
    return bool(_AGREEMENT.fullmatch(text) or (more and not _BUT.match(more["more"])))


def is_yes_but(message: str) -> bool:
    """Whether a yes is taken back, or put off, in the same breath."""
    more = _YES_AND.fullmatch(message.strip().lower())
    return bool(more and _BUT.match(more["more"]))


def proposals(text: str) -> list[str]:
    """The sentences in which a text offers to do something, each ending in a question mark."""
    found = re.findall(r"[^。！？!?\n]*[?？]", text)
    return [one.strip() for one in found if _PROPOSAL.search(one)]


def proposes_one_edit(text: str) -> bool:
    """Whether a reply offered exactly one change."""
    offers = proposals(text)
    return len(offers) == 1 and bool(_EDIT.search(offers[0]))
