"""Skills: found, read within limits, taken in with suspicion, given out the same each time."""

import io
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from agent_helpers import calls, routed, says, stage

from zencli.agent.skills.archive import MOST_ENTRIES, MOST_PACKED, export_skill, import_skill
from zencli.agent.skills.reading import MOST_TOKENS, PAGE, SkillReader
from zencli.agent.skills.shelf import Shelf, find_skills, shipped_skills
from zencli.agent.skills.skill import read_skill
from zencli.agent.skills.uses import count_use, uses
from zencli.agent.turn import Asked
from zencli.errors import NeedsAuthor, NotFound, UsageError
from zencli.store.layout import BookDir

FRONT = "---\nname: {name}\ndescription: {about}\n---\n\n{body}\n"


def make(folder: Path, name: str = "knots", about: str = "Ties.", body: str = "Tie it.") -> Path:
    place = folder / name
    (place / "references").mkdir(parents=True)
    (place / "SKILL.md").write_text(FRONT.format(name=name, about=about, body=body), "utf-8")
    (place / "references" / "more.md").write_text("结" * (PAGE + 10), "utf-8")
    return place


def shelf(root: Path) -> Shelf:
    return find_skills(root, None, "en")


def packed(files: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
    return buffer.getvalue()


GOOD = FRONT.format(name="knots", about="Ties.", body="Tie it.")


def test_B80_the_catalogue_has_names_and_purposes_only(tmp_path: Path) -> None:
    make(tmp_path / "skills", body="SECRET OF THE KNOT")
    catalogue = shelf(tmp_path).catalogue()
    assert "- knots: Ties." in catalogue
    assert "SECRET" not in catalogue
    assert catalogue == shelf(tmp_path).catalogue()


def test_B80_the_books_own_skill_wins(tmp_path: Path) -> None:
    make(tmp_path / "skills", about="Of the workspace.")
    make(tmp_path / "books" / "b" / "skills", about="Of the book.")
    found = find_skills(tmp_path, BookDir(tmp_path / "books" / "b"), "en").get("knots")
    assert (found.origin, found.description) == ("book", "Of the book.")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_B80_two_skills_are_shipped_in_both_languages(tmp_path: Path, language: str) -> None:
    found = find_skills(tmp_path, None, language).skills  # type: ignore[arg-type]
    assert set(found) == {"dialogue-clinic", "opening-clinic"}
    for skill in found.values():
        chinese = any("一" <= c <= "鿿" for c in skill.description + skill.body)
        assert chinese == (language == "zh")
        named = [path for path in skill.resources if path in skill.body]
        assert named, "the skill names no text beside it"
        reader = SkillReader(Shelf(found))
        reader.load(skill.name)
        for path in named:
            reader.resource(skill.name, path)
        assert reader.tokens < MOST_TOKENS / 3


def test_B80_a_resource_is_read_in_pages_of_a_loaded_skill(tmp_path: Path) -> None:
    make(tmp_path / "skills")
    reader = SkillReader(shelf(tmp_path))
    with pytest.raises(UsageError) as early:
        reader.resource("knots", "references/more.md")
    assert early.value.code == "skill_not_loaded"
    reader.load("knots")
    first = reader.resource("knots", "references/more.md")
    assert (first.start, first.end, first.total) == (0, PAGE, PAGE + 10)
    with pytest.raises(UsageError) as full:
        reader.resource("knots", "references/more.md")
        reader.resource("knots", "references/more.md")
    assert full.value.code == "skill_budget"


@pytest.mark.parametrize(
    "path", ["SKILL.md", "../knots/SKILL.md", "/etc/hostname", "references/../SKILL.md", "x.md"]
)
def test_B80_only_references_and_assets_are_read(tmp_path: Path, path: str) -> None:
    make(tmp_path / "skills")
    reader = SkillReader(shelf(tmp_path))
    reader.load("knots")
    with pytest.raises(NotFound):
        reader.resource("knots", path)


def test_B80_links_and_binaries_are_no_resources(tmp_path: Path) -> None:
    place = make(tmp_path / "skills")
    (tmp_path / "key").write_text("secret")
    (place / "references" / "link.md").symlink_to(tmp_path / "key")
    (place / "assets").mkdir()
    (place / "assets" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    reader = SkillReader(shelf(tmp_path))
    assert reader.load("knots").resources == ("assets/a.png", "references/more.md")
    with pytest.raises(UsageError) as refused:
        reader.resource("knots", "assets/a.png")
    assert refused.value.code == "resource_not_text"


def test_B80_three_skills_a_request_and_a_second_load_is_free(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        make(tmp_path / "skills", name)
    reader = SkillReader(shelf(tmp_path))
    for name in ("a", "b", "c"):
        reader.load(name)
    before = reader.tokens
    assert reader.load("a").name == "a"
    assert reader.tokens == before
    with pytest.raises(UsageError) as refused:
        reader.load("d")
    assert refused.value.code == "skill_limit"
    with pytest.raises(NotFound):
        reader.load("nothing")


def test_B80_a_skill_too_long_for_the_budget_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "skills", body="长" * (MOST_TOKENS + 1))
    with pytest.raises(UsageError) as refused:
        SkillReader(shelf(tmp_path)).load("knots")
    assert refused.value.code == "skill_budget"


def test_B80_uses_are_counted_and_a_broken_line_is_not(tmp_path: Path) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    count_use(tmp_path, "knots", "s1", now)
    count_use(tmp_path, "knots", "s2", now)
    with (tmp_path / ".zencli" / "skills.jsonl").open("a") as file:
        file.write('{"skill": ["x"]}\nhalf a li\n')
    assert uses(tmp_path) == {"knots": 2}


@pytest.mark.parametrize(
    "text",
    ["no front matter", "---\nname: x\n---\nbody", "---\nname: [\n---\nbody", "---\n- a\n---\nb",
     "---\nname: x\ndescription: y\n---\n"],
)  # fmt: skip
def test_B80_a_broken_skill_is_told_and_hides_no_other(tmp_path: Path, text: str) -> None:
    make(tmp_path / "skills")
    broken = tmp_path / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text(text)
    found = shelf(tmp_path)
    assert "knots" in found.skills
    assert str(broken) in found.broken["broken"]
    with pytest.raises(UsageError):
        found.get("broken")


def test_B81_export_is_the_same_to_the_byte_and_comes_back_whole(tmp_path: Path) -> None:
    place = make(tmp_path / "one" / "skills")
    first = export_skill(read_skill(place, "workspace", "en"))
    (place / "SKILL.md").touch()
    assert export_skill(read_skill(place, "workspace", "en")) == first
    archive = tmp_path / "knots.zip"
    archive.write_bytes(first)
    done = import_skill(archive, tmp_path / "two" / "skills")
    assert done.dropped == ()
    assert export_skill(done.skill) == first


def test_B81_shipped_skills_can_be_exported_and_imported(tmp_path: Path) -> None:
    for folder in sorted(shipped_skills().iterdir()):
        archive = tmp_path / "a.zip"
        archive.write_bytes(export_skill(read_skill(folder, "shipped", "zh")))
        skill = import_skill(archive, tmp_path / "skills").skill
        assert (skill.folder / "SKILL.zh.md").is_file()


def test_B81_scripts_are_dropped_and_told(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(
        packed(
            {
                "knots/SKILL.md": GOOD,
                "knots/references/a.md": "text",
                "knots/references/run.py": "import os",
                "knots/references/tool": "#!/bin/sh\n",
                "knots/scripts/go.sh": "rm",
                "knots/.hidden": "x",
                "knots/README.md": "x",
            }
        )
    )
    done = import_skill(archive, tmp_path / "skills")
    assert done.skill.resources == ("references/a.md",)
    assert done.dropped == (
        ".hidden", "README.md", "references/run.py", "references/tool", "scripts/go.sh",
    )  # fmt: skip


def test_B81_a_taken_name_needs_a_yes(tmp_path: Path) -> None:
    make(tmp_path / "skills", body="the old one")
    archive = tmp_path / "a.zip"
    archive.write_bytes(packed({"SKILL.md": GOOD}))
    with pytest.raises(NeedsAuthor):
        import_skill(archive, tmp_path / "skills")
    assert "the old one" in (tmp_path / "skills/knots/SKILL.md").read_text()
    assert import_skill(archive, tmp_path / "skills", replace=True).skill.body == "Tie it."


def entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def archive_of(kind: str) -> bytes:
    if kind == "no zip":
        return b"PK\x03\x04 not really"
    if kind == "too large":
        return b"x" * (MOST_PACKED + 1)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        if kind != "no skill":
            made.writestr("SKILL.md", GOOD.replace("knots", "a/b") if kind == "name" else GOOD)
        if kind == "entries":
            for number in range(MOST_ENTRIES):
                made.writestr(f"references/{number}.md", "x")
        if kind == "bomb":
            made.writestr("assets/zeros.txt", b"0" * (5 * 1024 * 1024))
        if kind == "link":
            made.writestr(entry("references/a.md", stat.S_IFLNK | 0o777), "/etc/passwd")
        if kind in ("../out.md", "/out.md", "references/../../out.md", "c:/out.md"):
            made.writestr(entry(kind), "x")
        if kind == "backslash":
            made.writestr(entry("references/a.md"), "x")
    data = buffer.getvalue()
    if kind == "backslash":
        data = data.replace(b"references/a.md", b"references\\a.md")
    if kind == "encrypted":
        at = data.index(b"PK\x01\x02")
        data = data[:6] + b"\x01" + data[7 : at + 8] + b"\x01" + data[at + 9 :]
    if kind == "cut":
        data = data[:-10]
    return data


@pytest.mark.parametrize(
    "kind",
    ["no zip", "too large", "no skill", "name", "entries", "bomb", "link", "../out.md", "/out.md",
     "references/../../out.md", "c:/out.md", "backslash", "encrypted", "cut"],
)  # fmt: skip
def test_B81_a_suspicious_archive_is_refused_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    archive = tmp_path / "in" / "a.zip"
    archive.parent.mkdir()
    archive.write_bytes(archive_of(kind))
    with pytest.raises(UsageError) as refused:
        import_skill(archive, tmp_path / "skills")
    assert refused.value.code == "usage.skill"
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == [archive]


def test_B81_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        import_skill(tmp_path / "none.zip", tmp_path / "skills")
    assert refused.value.code == "usage.file"


def test_B80_the_catalogue_stands_in_the_prompt_and_a_skill_is_loaded_by_tool(
    tmp_path: Path,
) -> None:
    played = stage(tmp_path)
    played.turn(
        "把对话改得有来有往",
        routed(),
        calls("writer", ("load_skill", {"name": "dialogue-clinic"})),
        calls(
            "writer",
            (
                "read_skill_resource",
                {"name": "dialogue-clinic", "path": "references/moves.zh.md"},
            ),
        ),
        says("writer", "看过了。"),
    )
    first = played.model.requests[1]
    assert "- dialogue-clinic: " in first.messages[0].content
    assert "把对白当成过招" not in "".join(m.content for m in first.messages)
    loaded, resource = (r.messages[-1].content for r in played.model.requests[2:4])
    assert "把对白当成过招" in loaded
    assert "过招举例" in resource
    assert uses(tmp_path)["dialogue-clinic"] == 1


def test_B80_a_skill_put_in_by_hand_is_there_from_the_start(tmp_path: Path) -> None:
    played = stage(tmp_path)
    played.turn(Asked("看看开头", skills=("opening-clinic",)), routed(), says("writer", "看过了。"))
    request = played.model.requests[1]
    assert "前三百字：一个人" in request.messages[-1].content
    assert uses(tmp_path)["opening-clinic"] == 1


def test_B80_an_unknown_skill_is_refused_before_any_call(tmp_path: Path) -> None:
    played = stage(tmp_path)
    with pytest.raises(NotFound):
        played.turn(Asked("看看开头", skills=("none",)))
    assert played.model.requests == []
