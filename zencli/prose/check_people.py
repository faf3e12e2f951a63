"""Who is on stage: the dead, people who are away, and names that nobody has been given."""

import re
from collections.abc import Iterator, Mapping

from zencli.prose.acting import Act, acts
from zencli.prose.finding import CheckContext, report, sentences_at
from zencli.prose.names import speakers
from zencli.prose.segment import paragraph_spans
from zencli.story.book import Language
from zencli.story.findings import Finding, Severity

_MOST = 5
_PAST = (
    r"想起|记得|记起|忆|当年|当初|那年|那时|昔|生前|曾|从前|以前|过去|梦|幻|遗|信[中里上]|来信"
    r"|书信|录音|录像|画面|照片|画像|牌位"
    r"|鬼|魂|灵堂|灵位|尸|坟|墓|棺|葬|祭|显灵|附身|耳边|仿佛听|好像听|似乎听|传说|据说|故事|史书"
    r"|年前|日前|天前"
    r"|\b(?:remember\w*|recall\w*|memor\w+|once|used to|would (?:say|have)|had \w+(?:ed|en|aid)"
    r"|dream\w*"
    r"|ago|that (?:day|night|summer|winter|year)|letter|wrote|written|diary|ghost\w*|spirit\w*"
    r"|photograph|portrait|recording|echo\w*|corpse|body|grave|tomb|coffin|funeral|buried|vision"
    r"|back (?:then|when)|in those days|as a (?:boy|girl|child)|legend|imagin\w+)\b"
)
_ALIVE = (
    r"复活|活过来|还活着|没有?死|未死|诈死|假死|死而复生|转世|重生"
    r"|\b(?:alive|survived|not dead|resurrect\w*|back from the dead|wasn['’]t dead|isn['’]t "
    r"dead)\b"
)


def dead_acting(text: str, context: CheckContext) -> Iterator[Finding]:
    """Somebody whom the story has dead speaks or acts in the present scene: warning each.

    Critical when it is beyond mistaking: at least ``dead-acting.critical`` such places of one
    person, speech among them, and nothing in the chapter says that they live. Memories, dreams,
    letters, ghosts and funerals in the same paragraph or the one before are left alone.
    """
    people = context.standing.people
    for name, places in _present(text, context, context.standing.dead, people).items():
        sure = len(places) >= context.limit("dead-acting.critical")
        sure = (
            sure
            and any(act.speaks for act in places)
            and not re.search(_ALIVE, text, re.IGNORECASE)
        )
        severity: Severity = "critical" if sure else "warning"
        yield _seen(text, context, "dead-acting", severity, name, places[0])


def absent_acting(text: str, context: CheckContext) -> Iterator[Finding]:
    """Somebody whom the story has missing, captive, unconscious or far away speaks here, and the
    plan doesn't put them on stage: info each."""
    standing = context.standing
    if not standing.away:
        return
    planned = standing.planned or frozenset()
    away = {called: name for called, name in standing.away.items() if not {called, name} & planned}
    for name, places in _present(text, context, away, standing.people).items():
        spoken = [act for act in places if act.speaks]
        if len(spoken) >= context.limit("absent-acting.least"):
            yield _seen(text, context, "absent-acting", "info", name, spoken[0])


def _present(
    text: str, context: CheckContext, called: Mapping[str, str], people: frozenset[str]
) -> dict[str, list[Act]]:
    """By the card's name: where these people speak or act, and nothing says that it is past."""
    found: dict[str, list[Act]] = {}
    if not any(one in text for one in called):
        return found
    for act in acts(text, people | called.keys(), context.language):
        name = called.get(act.name)
        if name is not None and not _is_past(text, act.start):
            found.setdefault(name, []).append(act)
    return found


def _is_past(text: str, place: int) -> bool:
    spans = paragraph_spans(text)
    at = next((i for i, (start, end) in enumerate(spans) if start <= place < end), 0)
    near = text[spans[max(0, at - 1)][0] : spans[at][1]]
    return bool(re.search(_PAST, near, re.IGNORECASE))


def _seen(
    text: str, context: CheckContext, check: str, severity: Severity, name: str, act: Act
) -> Finding:
    quote = sentences_at(text, (act.start, act.end), context.language)
    return report(context, check, severity, quote=quote, name=name)


def unknown_names(text: str, context: CheckContext) -> Iterator[Finding]:
    """A name that speaks several times and stands in no card, state, plan or outline: info; when
    it is one of the chapter's chief speakers, warning. Nothing without any known name."""
    standing = context.standing
    if not standing.people:
        return
    found = speakers(text, context.language)
    strangers = {
        name: places
        for name, places in found.items()
        if len(places) >= context.limit("unknown-name.info")
        and not _is_known(name, context.language, standing.people, context.background)
    }
    ranked = sorted(strangers.items(), key=lambda item: (-len(item[1]), item[0]))
    for name, places in ranked[:_MOST]:
        many = len(places) >= context.limit("unknown-name.warn")
        quote = sentences_at(text, places[0], context.language)
        yield report(
            context,
            "unknown-name",
            "warning" if many else "info",
            quote=quote,
            name=name,
            count=len(places),
        )


def _is_known(name: str, language: Language, people: frozenset[str], background: str) -> bool:
    if language == "zh":
        return name in background or any(
            name in one or one in name for one in people if len(one) > 1
        )
    words = {word for one in people for word in re.findall(r"[^\W\d_]+", one)}
    return name in background or any(word in words for word in name.split())
