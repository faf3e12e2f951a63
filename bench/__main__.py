"""``make bench``: start-up, the looking verbs, and what a clean chapter takes, in one table."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.agent_bench import agent_rows
from bench.check_bench import check_rows
from bench.cost_bench import cache_rows
from bench.export_bench import export_rows
from bench.import_bench import import_rows
from bench.long_bench import long_rows
from bench.sample import ROOT, play
from bench.simulator import simulator_rows

RUNS = 7


def seconds(command: Sequence[str]) -> float:
    """The median wall time of a command over several runs."""
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        times.append(time.perf_counter() - started)
    return median(times)


def row(name: str, value: str, note: str = "") -> None:
    print(f"{name:<44} {value:>12}  {note}")


def start_up() -> None:
    """``--help`` and ``status`` beside an empty Python."""
    zencli = str(Path(sys.executable).with_name("zencli"))
    sample = next((ROOT / "books").glob("*/book.toml")).parent.name
    python = seconds([sys.executable, "-c", "pass"])
    row("python -c pass", f"{python * 1000:.0f} ms")
    for words in (["--help"], ["list"], ["status", sample]):
        took = seconds([zencli, *words])
        row("zencli " + " ".join(words), f"{took * 1000:.0f} ms", f"{took / python:.1f} times")
    took = seconds([zencli, "audit", sample, "--chapters", "1-", "--no-llm", "--quiet"])
    row(f"zencli audit {sample} --no-llm (all)", f"{took * 1000:.0f} ms")
    for form in ("txt", "md", "epub"):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, f"book.{form}")
            took = seconds([zencli, "export", sample, "--format", form, "--output", out])
        row(f"zencli export {sample} --format {form}", f"{took * 1000:.0f} ms")


def clean_chapters() -> None:
    """Calls and prompt tokens of the scripts' clean chapters, by estimate."""
    for language in ("zh", "en"):
        with tempfile.TemporaryDirectory() as folder:
            _, model = play(language, Path(folder))
        roles = [request.role for request in model.requests]
        start = roles.index("plan")
        calls = model.requests[start : start + 4]
        tokens = [request.estimate(model.profile) for request in calls]
        steps = ", ".join(roles[start : start + 4])
        row(f"{language}: calls of a clean chapter", str(len(calls)), steps)
        row(f"{language}: its prompt tokens", str(sum(tokens)), " + ".join(map(str, tokens)))


def main() -> None:
    start_up()
    clean_chapters()
    for name, value, note in import_rows():
        row(name, value, note)
    for name, value, note in export_rows():
        row(name, value, note)
    for name, value, note in check_rows():
        row(name, value, note)
    for name, value, note in long_rows():
        row(name, value, note)
    for name, value, note in agent_rows():
        row(name, value, note)
    for name, value, note in simulator_rows():
        row(name, value, note)
    for name, value, note in cache_rows():
        row(name, value, note)


if __name__ == "__main__":
    main()
