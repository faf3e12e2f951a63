"""The table of ``docs/checks.md``, made from the code. Run it to write the page anew."""

from pathlib import Path

from zencli.prose.checks import CHECKS
from zencli.prose.thresholds import THRESHOLDS

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"
BEGIN, END = "<!-- table -->", "<!-- end -->"


def table() -> str:
    """One row for each check: id, group, measure, thresholds of zh and en."""
    rows = ["| id | group | measure | thresholds (zh, en) |", "|---|---|---|---|"]
    for check_id, check in CHECKS.items():
        measure = check.measure.replace("``", "`").replace("|", "\\|")
        limits = [
            f"`{name}` {zh:g}, {en:g}" if zh != en else f"`{name}` {zh:g}"
            for name, (zh, en) in THRESHOLDS.items()
            if name.partition(".")[0] == check_id
        ]
        rows.append(f"| `{check_id}` | {check.group} | {measure} | {'; '.join(limits) or '-'} |")
    return "\n".join(rows)


def with_table(page: str) -> str:
    """The page with the table as the code has it."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
