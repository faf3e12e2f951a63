"""The rules of the house: who may import whom, where heavy packages live, how long a module is."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOORS = ["cli", "agent", "pipeline", "context", "llm", "export", "prose", "store", "story"]
MODULES = sorted((ROOT / "zencli").rglob("*.py"))
HOMES = {
    "openai": {"llm"},
    "typer": {"cli"},
    "rich": {"cli"},
    "ebooklib": {"export"},
    "markdown": {"export"},
    "docx": {"export"},
    "mcp": {"agent"},
    "yaml": {"agent"},
    "jinja2": {"context"},
    "xllamacpp": {"llm"},
    "tomlkit": {"store"},
    "json_repair": {"llm"},
}
DISTRIBUTIONS = {"docx": "python-docx", "json_repair": "json-repair", "yaml": "pyyaml"}
LONGEST = 350


def floor_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "zencli").parts
    return parts[0] if len(parts) > 1 else ""


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every imported module by its full name, and whether it is imported at the top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            yield node.module, id(node) in top


def test_imports_run_downwards_only() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in MODULES
        for name, _ in imports(path)
        if name.startswith("zencli.") and not allowed(floor_of(path), name.split(".")[1])
    ]
    assert not wrong


def allowed(floor: str, other: str) -> bool:
    """Whether a module on ``floor`` may import from ``other``, a floor or a top-level module."""
    if floor in ("story", "prose"):
        return other in (floor, "story")
    if not floor or other not in FLOORS:
        return True
    return FLOORS.index(other) >= FLOORS.index(floor)


def test_packages_stay_in_their_floor() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in MODULES
        for name, _ in imports(path)
        if floor_of(path) not in HOMES.get(name.split(".")[0], {floor_of(path)})
    ]
    assert not wrong


def test_openai_is_imported_by_one_module_and_only_inside_functions() -> None:
    found = {path.name: top for path in MODULES for name, top in imports(path) if name == "openai"}
    assert len(found) == 1
    assert not any(found.values())


def test_no_module_is_too_long() -> None:
    lengths = {p.name: len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES}
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST}


def test_every_imported_package_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = {
        line.split(">")[0].split("[")[0].lower()
        for line in [*project["dependencies"], *extras["local"], *extras["check"], *extras["mcp"]]
    }
    used = {name.split(".")[0] for path in MODULES for name, _ in imports(path)}
    outside = {u for u in used if u not in sys.stdlib_module_names and u != "zencli"}
    missing = {u for u in outside if DISTRIBUTIONS.get(u, u).lower() not in declared}
    assert not missing


def test_only_the_command_line_touches_the_standard_streams() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in MODULES
        for word in (r"sys\.stdout", r"sys\.stderr", r"\bprint\(")
        if floor_of(path) != "cli" and re.search(word, path.read_text(encoding="utf-8"))
    ]
    assert not wrong
