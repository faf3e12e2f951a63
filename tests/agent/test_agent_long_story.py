"""Thirty turns of one session, in as many processes, with the author at work between them.

He renames a visitor by hand and the old name never comes back; a turn is killed and continued;
questions are answered in both kinds; a review changes nothing; a turn is undone.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from agent_endpoint import ToolEndpoint, serving
from agent_helpers import Stage, body, calls, draft, hands, reads, routed, says, stage

from zencli.llm.scripted import Step

pytestmark = pytest.mark.slow

REPO = Path(__file__).parents[2]
THIRD = "chapters/0003.md"
OLD, NEW = "阿岩", "沈岩"
VISITOR = f"{OLD}推门进来，靴子里都是水。\n\n“灯怎么灭了？”{OLD}问。\n\n林晚没有答。"


@dataclass
class Story:
    """The workspace, the endpoint that plays the models, and what came of each turn."""

    stage: Stage
    endpoint: ToolEndpoint
    turns: list[dict[str, Any]] = field(default_factory=list)

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        more = {"PYTHONPATH": str(REPO), **self.endpoint.environment()}
        return subprocess.Popen(
            [sys.executable, "-m", "zencli", *words, "--json"],
            cwd=self.stage.root,
            env={**os.environ, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *words: str) -> dict[str, Any]:
        out, err = self.start(*words).communicate(timeout=120)
        assert out, err.decode()
        told: dict[str, Any] = json.loads(out)
        return told

    def say(self, message: str, *steps: Step, code: int = 0, **flags: Any) -> dict[str, Any]:
        """A turn; every step must be played."""
        self.endpoint.play(*steps)
        options = [part for name, value in flags.items() for part in _option(name, value)]
        told = self.run("agent", message, "--session", "s", *options)
        assert told["exit_code"] == code, told
        assert self.endpoint.steps == []
        self.turns.append(told["data"])
        return self.turns[-1]

    def last_prompt(self) -> str:
        users = [m for m in self.endpoint.requests[-1]["messages"] if m["role"] == "user"]
        text: str = users[-1]["content"]
        return text

    def results(self) -> list[dict[str, Any]]:
        """The tool results that the last request held."""
        messages = self.endpoint.requests[-1]["messages"]
        return [json.loads(m["content"]) for m in messages if m["role"] == "tool"]

    def rewrite(self, path: str, old: str, new: str) -> None:
        """What the author does in his editor."""
        place = self.stage.book.path / path
        text = place.read_text("utf-8")
        assert old in text
        place.write_text(text.replace(old, new), "utf-8")


def _option(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    return [flag] if value is True else [flag, str(value)]


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    with serving() as endpoint:
        yield Story(stage(tmp_path), endpoint)


def edit(path: str, old: str, new: str) -> Step:
    edits = [{"op": "replace", "old": old, "new": new}]
    return calls("writer", ("edit_file", {"path": path, "edits": edits}))


def project(role: str = "writer", **fields: Any) -> Step:
    return calls(role, ("update_project", fields))


def test_thirty_turns_end_with_files_notes_tasks_and_session_as_expected(story: Story) -> None:
    say = story.say
    planning(story, say)
    writing(story, say)
    renamed_by_hand(story, say)
    killed_and_continued(story, say)
    reviewed_and_undone(story, say)
    closing(story, say)
    as_expected(story)


def planning(story: Story, say: Any) -> None:
    """1-4: a question that lacks something, its answer, an outline, tasks, a confirmed note."""
    asked = say(
        "第三章写什么，先定一定",
        routed("planner", "standard", write_content=False, scope="第三章的走法"),
        says("planner", "来客有两种走法。留下他，还是赶他走？"),
        code=4,
    )
    assert asked["question"].endswith("留下他，还是赶他走？")
    before = len(story.endpoint.requests)
    say(
        "留下",
        calls("planner", ("edit_file", {
            "path": "outline.md", "edits": [{"op": "append", "text": "\n第三章：来客留下。\n"}],
        })),
        says("planner", "写进大纲了。"),
    )  # fmt: skip
    assert len(story.endpoint.requests) == before + 2  # the router wasn't asked again
    say(
        "接下来要写第三章到第五章，记成任务",
        routed("planner", "standard", write_content=False),
        project(
            "planner",
            tasks=[
                {"title": "写第3-5章", "status": "in_progress"},
                {"title": "补一张来客的人物卡"},
            ],
        ),
        says("planner", "记下了。"),
    )
    say(
        "记住：灯塔一共七层",
        routed(),
        project(notes=["灯塔一共七层", "来客怕火"], author_quotes=["灯塔一共七层"]),
        says("writer", "记下了。"),
    )


def writing(story: Story, say: Any) -> None:
    """5-8: a chapter, an edit, a card; the files of a reply are at work in the next."""
    made = say("写第三章", routed(scope="第三章"), draft("第三章 来客留下"), body(VISITOR), says(
        "writer", "第三章写好了。"))  # fmt: skip
    changes = {file["path"]: file["change"] for file in made["files"]}
    assert changes == {THIRD: "created", "tasks.md": "changed"}
    assert "已完成：3" in story.stage.read("tasks.md")
    say("最后一句再冷一点", routed(), edit(THIRD, "林晚没有答。", "林晚没有抬头。"), says(
        "writer", "改了。"))  # fmt: skip
    say(
        "补上来客的人物卡",
        routed(),
        calls("writer", ("create_file", {
            "title": OLD, "type": "character", "content": f"# {OLD}\n\n- 身份：来客\n",
        })),
        says("writer", "补好了。"),
    )  # fmt: skip
    say("好", says("writer", "嗯。"), route="off")
    assert f"### {THIRD}（全文）" in story.last_prompt()


def renamed_by_hand(story: Story, say: Any) -> None:
    """9-14: the author renames the visitor in chapter and card; no agent brings him back."""
    story.rewrite(THIRD, OLD, NEW)
    card = f"characters/{OLD}.md"
    story.rewrite(card, OLD, NEW)
    os.rename(story.stage.book.path / card, story.stage.book.path / f"characters/{NEW}.md")
    say("第三章我改过了，你看看", routed(), says("writer", "看到了，名字改成了沈岩。"))
    assert f"“{NEW}推门进来，靴子里都是水。”" in story.last_prompt()
    say(
        "让他先跺跺脚",
        routed(),
        edit(THIRD, f"{OLD}推门进来", f"{OLD}跺了跺脚"),
        edit(THIRD, f"{NEW}推门进来", f"{NEW}跺跺脚，推门进来"),
        says("writer", "改了。"),
    )
    refused = story.results()[0]
    assert refused["error_type"] == "anchor_not_found"
    assert NEW in json.dumps(refused["data"], ensure_ascii=False)
    say(
        "这一章重来",
        routed(),
        calls("writer", ("create_file", {
            "title": "第三章 来客留下", "type": "draft", "content": VISITOR, "overwrite": True,
        })),
        says("writer", "这一章有你自己改的字，要整章重写吗？"),
        code=4,
    )  # fmt: skip
    assert story.results()[-1]["error_type"] in ("author_edit_protected", "file_exists")
    say("不用，留着", says("writer", "好，原样留着。"))
    say(
        "把旧卡片删了",
        routed(),
        calls("writer", ("delete_file", {"path": f"characters/{NEW}.md"})),
        says("writer", "卡片是你改过的，留着了。"),
    )
    assert story.results()[-1]["error_type"] == "author_edit_protected"
    say(
        f"记住，他叫{NEW}",
        routed(),
        project(notes=[f"他叫{NEW}"], author_quotes=[f"他叫{NEW}"]),
        says("writer", "记住了。"),
    )
    assert OLD not in chapter(story)


def killed_and_continued(story: Story, say: Any) -> None:
    """15-20: a turn killed in the middle of a chapter, then "continue", then a limit."""
    story.endpoint.play(routed(scope="第四章"), draft("第四章 七层"), body("雾" * 200 + "。"))
    story.endpoint.hold = len(story.endpoint.requests) + 3
    story.endpoint.holding.clear()
    process = story.start("agent", "写第四章", "--session", "s")
    assert story.endpoint.holding.wait(60)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    story.endpoint.hold = 0
    story.endpoint.steps.clear()
    say(
        "继续",
        draft("第四章 七层"),
        body(f"{NEW}一层一层往上数。\n\n七层。"),
        says("writer", "第四章写好了。"),
    )
    assert "写第四章" in json.dumps(story.endpoint.requests[-1]["messages"], ensure_ascii=False)
    say("第五章先别写，想想结尾", routed("planner", "standard", write_content=False), says(
        "planner", "可以停在灯灭。要我写进大纲吗？"), code=4)  # fmt: skip
    say(
        "要",
        calls("planner", ("edit_file", {
            "path": "outline.md", "edits": [{"op": "append", "text": "\n第五章：灯灭。\n"}],
        })),
        says("planner", "写进去了。"),
    )  # fmt: skip
    (story.stage.root / "zencli.toml").write_text("[agent]\nmax_tool_turns = 4\n", "utf-8")
    looks = [reads(path) for path in ("outline.md", "style.md", "brief.md", THIRD, "notes.md")]
    stopped = say("通读一遍", routed(), *looks, code=6)
    assert stopped["stop_reason"] == "max_tool_turns"
    (story.stage.root / "zencli.toml").unlink()
    say("继续", says("writer", "读完了，没有对不上的地方。"))


def reviewed_and_undone(story: Story, say: Any) -> None:
    """21-26: a review that changes nothing, a vague wish, a handoff, an undone turn."""
    before = files(story)
    say(
        "只看不改，第三章怎么样",
        routed("quality_reviewer", "review_only", read_only=True),
        says("quality_reviewer", "两处：开头太快；灯为什么灭没有交代。"),
        read_only=True,
    )
    assert files(story) == before
    say(
        "顺手改了吧",
        routed(),
        edit(THIRD, "“灯怎么灭了？”", "“灯灭了多久？”"),
        says("writer", "这一轮只看不改，没有动。"),
        read_only=True,
    )
    assert story.results()[-1]["error_type"] == "read_only_request"
    assert files(story) == before
    say("优化一下", says("writer", "想改哪里？节奏、对话，还是结尾？"), code=4)
    say(
        "结尾",
        edit(THIRD, "林晚没有抬头。", "林晚把灯芯按进油里。"),
        says("writer", "改了结尾。"),
        route="off",
    )
    wrong = files(story)
    say(
        "把第三章写成喜剧",
        routed(),
        edit(THIRD, "林晚把灯芯按进油里。", "林晚笑得直不起腰。"),
        says("writer", "改好了。"),
    )
    assert files(story) != wrong
    assert story.run("undo", story.stage.book_id)["exit_code"] == 0
    assert files(story) == wrong
    say(
        "还是原来的好，让策划看看第五章",
        routed(),
        hands("writer", "planner", context="第五章怎么收"),
        says("planner", "停在灯灭那一下。"),
    )
    assert "林晚把灯芯按进油里。" in chapter(story)


def closing(story: Story, say: Any) -> None:
    """27-30: the last chapter, a review by the gate, tasks closed by what lies on disk."""
    say("写第五章", routed(scope="第五章"), draft("第五章 灯灭"), body(
        f"灯灭了。\n\n{NEW}在第七层等她。"), says("writer", "第五章写好了。"))  # fmt: skip
    say(
        "人物卡那条算做完了",
        routed(),
        project(tasks=[{"title": "写第3-5章"}, {"title": "补一张来客的人物卡", "status": "done"}]),
        says("writer", "记好了。"),
    )
    say("来客怕火，是的，来客怕火", routed(), project(
        notes=["来客怕火"], author_quotes=["来客怕火"]), says("writer", "记住了。"))  # fmt: skip
    say("就到这里", routed(), says("writer", "好。"))


def as_expected(story: Story) -> None:
    book = story.stage.book.path
    assert sorted(path.name for path in (book / "chapters").iterdir()) == [
        f"{number:04d}.md" for number in range(1, 6)
    ]
    assert chapter(story) == (
        f"# 来客留下\n\n{NEW}跺跺脚，推门进来，靴子里都是水。\n\n“灯怎么灭了？”{NEW}问。\n\n"
        "林晚把灯芯按进油里。\n"
    )
    everywhere = "".join(
        path.read_text("utf-8") for path in book.rglob("*.md") if ".zencli" not in path.parts
    )
    assert OLD not in everywhere
    assert "第三章：来客留下。" in story.stage.read("outline.md")
    assert "第五章：灯灭。" in story.stage.read("outline.md")
    assert story.stage.read("notes.md") == (
        f"# 备注\n\n## 作者确认\n\n- 灯塔一共七层\n- 他叫{NEW}\n- 来客怕火\n"
    )
    tasks = story.stage.read("tasks.md")
    assert "- [x] 写第3-5章" in tasks
    assert "- [x] 补一张来客的人物卡" in tasks
    session(story)


def session(story: Story) -> None:
    path = story.stage.book.path / ".zencli" / "sessions" / "s.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    authors = [line for line in lines if line["type"] == "author"]
    replies = [line for line in lines if line["type"] == "reply"]
    assert len(authors) == 30
    assert len(replies) == 29  # one turn was killed
    assert [line["turn"] for line in authors] == list(range(1, 31))
    assert len(story.turns) == 29
    assert [t["reply"] for t in story.turns][-1].startswith("好。")


def chapter(story: Story) -> str:
    return story.stage.read(THIRD)


def files(story: Story) -> dict[str, str]:
    """The author's files as they are."""
    book = story.stage.book.path
    return {
        path.relative_to(book).as_posix(): path.read_text("utf-8")
        for path in sorted(book.rglob("*.md"))
        if ".zencli" not in path.parts
    }
