"""The page on endpoints says what the code does."""

import re
from pathlib import Path

from zencli.llm.attempts import Patience
from zencli.llm.deadlines import LOCAL, Deadlines
from zencli.llm.profiles import PROFILES, Profile
from zencli.pipeline.configuration.model_choice import FALLBACK_ON
from zencli.pipeline.configuration.settings import load_settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "endpoints.md").read_text("utf-8")
CODE = re.compile(r'"(llm\.[a-z_]+)"')


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins with ``head``, its heads left out."""
    lines = PAGE[PAGE.index(head) :].splitlines()
    table = lines[2 : next(i for i, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "zencli.toml").write_text(shown, "utf-8")
    keys = {"DEEPSEEK_API_KEY": "sk-1", "QWEN_API_KEY": "sk-2", "HOME": str(tmp_path)}
    settings = load_settings(tmp_path, None, keys)
    auditor, writer = settings.choice("auditor"), settings.choice("writer")
    assert (auditor.name, auditor.api_key, auditor.thinking) == ("qwen-max", "sk-2", False)
    assert writer.fallbacks[0].profile == {"name": "ollama", "window": 16384}
    assert writer.fallback_on == FALLBACK_ON


def test_every_key_of_a_profile_is_explained() -> None:
    listed = {name for row in rows("| key | values |") for name in names(row[0])}
    assert listed == set(Profile.__dataclass_fields__) - {"thinking"}
    first = rows("| key | values |")[0]
    assert set(names(first[1])) == set(PROFILES) - {"embedded"}


def test_the_times_are_those_of_the_code() -> None:
    for row in rows("| under `[model]`"):
        name = names(row[0])[0].replace("timeout", "total")
        usual, local = float(row[2]), float(row[3])
        if name == "retries":
            assert usual == local == Patience().retries
        else:
            assert (usual, local) == (getattr(Deadlines(), name), getattr(LOCAL, name))


def test_every_code_of_an_error_is_explained() -> None:
    listed = {name for row in rows("| code | means |") for name in names(row[0])}
    modules = (ROOT / "zencli").rglob("*.py")
    assert listed == {code for path in modules for code in CODE.findall(path.read_text("utf-8"))}
