"""The agents' prompts: documented, within their lengths, each in its own language."""

import re
from pathlib import Path

import jinja2
import pytest
from agent_helpers import routed, says, stage
from jinja2 import meta

from zencli.context.prompts import Prompts, shipped_prompts
from zencli.errors import UsageError
from zencli.prose.count import count_words
from zencli.story.book import Language

DOC = (Path(__file__).parents[2] / "docs" / "agent.md").read_text("utf-8")
NAMES = sorted(p.name.removesuffix(".md.j2") for p in (shipped_prompts() / "zh/agent").glob("*.j2"))
ROLES = ("protocol", "planner", "hook_designer", "writer", "quality_reviewer", "router")
MOST = {"zh": 1200, "en": 700}
HAN = re.compile("[\u3400-\u9fff]")


def documented() -> dict[str, set[str]]:
    section = DOC[DOC.index("## Templates") : DOC.index("## Behaviours")]
    found: dict[str, set[str]] = {}
    for names, variables in re.findall(r"^\| (`.+?) \| (.+?) \| .+ \|$", section, re.M):
        for name in re.findall(r"`(\w+)`", names):
            found[name] = set(re.findall(r"`(\w+)`", variables))
    return found


def test_every_template_is_documented_in_both_languages() -> None:
    english = {p.name.removesuffix(".md.j2") for p in (shipped_prompts() / "en/agent").glob("*.j2")}
    assert set(documented()) == set(NAMES) == english


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_template_uses_exactly_the_documented_variables(name: str, language: str) -> None:
    text = (shipped_prompts() / language / "agent" / f"{name}.md.j2").read_text("utf-8")
    tree = jinja2.Environment().parse(text)
    assert meta.find_undeclared_variables(tree) == documented()[name]


@pytest.mark.parametrize("name", ROLES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_role_is_short_and_in_its_language(name: str, language: Language) -> None:
    values = {"skills": "", "sub_agents": ""} if name == "protocol" else {}
    text = Prompts(language).render(f"agent/{name}", **values)
    assert count_words(text, language) <= MOST[language]
    assert bool(HAN.search(text)) is (language == "zh")
    assert "\n\n\n" not in text


def test_the_authors_own_template_is_used_and_a_wrong_one_is_refused_first(tmp_path: Path) -> None:
    zh = stage(tmp_path)
    own = zh.root / "prompts" / "zh" / "agent"
    own.mkdir(parents=True)
    (own / "writer.md.j2").write_text("# 你的角色：writer\n写得短。\n", "utf-8")
    zh.turn("看看", says("writer", "好。"), route="off")
    assert "写得短。" in zh.model.requests[0].messages[0].content
    (own / "handoff.md.j2").write_text("{{ nothing }}", "utf-8")
    with pytest.raises(UsageError, match="nothing"):
        zh.turn("看看", routed())
    assert zh.model.requests == []
