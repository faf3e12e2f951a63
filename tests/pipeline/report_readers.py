"""Reading the reports of `audit --report` as their consumers do, and the SARIF schema."""

import json
import re
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from zencli.pipeline.reports import render_report
from zencli.pipeline.results import AuditResult


def sarif(result: AuditResult, root: Path) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render_report(result, "sarif", root))
    Draft202012Validator.check_schema(SARIF)
    Draft202012Validator(SARIF).validate(log)
    return log


def sarif_region(result: AuditResult, root: Path) -> dict[str, Any]:
    (entry,) = sarif(result, root)["runs"][0]["results"]
    region: dict[str, Any] = entry["locations"][0]["physicalLocation"]["region"]
    return region


def fingerprint(entry: dict[str, Any]) -> str:
    return str(entry["partialFingerprints"]["zencliFinding/v1"]).rsplit("/", 1)[1]


def sliced(text: str, region: dict[str, Any]) -> str:
    """What a SARIF region covers, cut out of the text by UTF-16 code units."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    first, last = region["startLine"] - 1, region["endLine"] - 1
    start, end = 2 * (region["startColumn"] - 1), 2 * (region["endColumn"] - 1)
    newline = "\n".encode("utf-16-le")
    before = sum(len(line) + len(newline) for line in lines[first:last])
    return newline.join(lines[first : last + 1])[start : before + end].decode("utf-16-le")


def parse_commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands in a log: name, properties, message, unescaped as the runner does."""

    def data(value: str) -> str:
        return value.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")

    commands = []
    for line in text.splitlines():
        if line.startswith("::"):
            head, message = line[2:].split("::", 1)
            name, listed = head.split(" ", 1)
            pairs = (pair.split("=", 1) for pair in listed.split(","))
            where = {k: data(v.replace("%3A", ":").replace("%2C", ",")) for k, v in pairs}
            commands.append((name, where, data(message)))
    return commands


def rendered_md(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def visible(text: str) -> str:
    """What a reader sees of HTML or of plain text, white space aside."""
    text = re.sub(r"<[^>]*>", "", text)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return "".join(text.split())


def obj(required: str, **properties: Any) -> dict[str, Any]:
    """A closed object; ``required`` names the keys that must be there."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def arr(items: dict[str, Any], **limits: int) -> dict[str, Any]:
    return {"type": "array", "items": items, **limits}


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
MESSAGE = obj("text", text=TEXT)
ARTIFACT = obj("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9._~%/-]+$"})
REGION = obj(
    "startLine",
    startLine=COUNT,
    startColumn=COUNT,
    endLine=COUNT,
    endColumn=COUNT,
    snippet=MESSAGE,
)
LOCATION = obj(
    "physicalLocation",
    physicalLocation=obj("artifactLocation", artifactLocation=ARTIFACT, region=REGION),
)
RESULT = obj(
    "ruleId ruleIndex level message locations partialFingerprints suppressions",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=arr(LOCATION, minItems=1, maxItems=1),
    partialFingerprints={"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    suppressions=arr(
        obj(
            "kind",
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification={"type": "string"},
        )
    ),
    properties={"type": "object"},
)
RULE = obj(
    "id",
    id=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
)
INVOCATION = obj(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=arr(
        obj(
            "message",
            level={"enum": ["none", "note", "warning", "error"]},
            message=MESSAGE,
            locations=arr(LOCATION),
        )
    ),
)
RUN = obj(
    "tool columnKind results",
    tool=obj("driver", driver=obj("name", name=TEXT, version=TEXT, rules=arr(RULE))),
    invocations=arr(INVOCATION),
    columnKind={"const": "utf16CodeUnits"},
    results=arr(RESULT),
    properties={"type": "object"},
)
SARIF = obj(
    "version runs",
    **{"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": arr(RUN, minItems=1)},
)
"""The parts of the SARIF 2.1.0 schema that zencli uses, closed against anything else."""
