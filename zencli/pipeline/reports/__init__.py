"""An audit's findings in the forms that CI services and reviewers read."""

from collections.abc import Callable, Mapping
from pathlib import Path

from zencli.pipeline.params import FailOn, ReportFormat
from zencli.pipeline.reports.github import github_report
from zencli.pipeline.reports.junit import junit_report
from zencli.pipeline.reports.md import md_report
from zencli.pipeline.reports.places import Report, report_of
from zencli.pipeline.reports.sarif import sarif_report
from zencli.pipeline.results import AuditResult

_FORMS: Mapping[ReportFormat, Callable[[Report], str]] = {
    "junit": junit_report,
    "sarif": sarif_report,
    "github": github_report,
    "md": md_report,
}


def render_report(
    result: AuditResult, form: ReportFormat, root: Path, fail_on: FailOn = "critical"
) -> str:
    """The whole report as text with a newline at its end; the same result gives the same text.

    Places are looked up in the chapter files as they are now, and their paths are relative to
    ``root``. What is at or above ``fail_on`` counts as a failure. A finding without a quote, or
    whose quote has gone from the file, points at line 1.
    Raises ``DamagedError`` for a chapter file that can't be read.
    """
    return _FORMS[form](report_of(result, root, fail_on))
