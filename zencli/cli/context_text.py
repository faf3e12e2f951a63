"""The context of a chapter as text: sections, entries, why each was taken, what was cut."""

from collections.abc import Iterable

from zencli.pipeline.context_report import ContextSection, ContextView


def context_text(view: ContextView) -> str:
    """What ``show --context`` prints."""
    lines = [f"chapter {view.number}, run {view.run}"]
    for layer in view.layers:
        lines += ["", f"{layer.tokens:>7}  {layer.name}", *section_lines(layer.sections)]
    lines.append("")
    lines += [f"{c.tokens:>7}  call {c.role}: {' + '.join(c.layers)}" for c in view.calls]
    return "\n".join(lines)


def section_lines(sections: Iterable[ContextSection]) -> list[str]:
    """Each section, its entries with the reason, and how those begin that were cut."""
    lines = []
    for section in sections:
        cut = f", {section.cut} cut" if section.cut else ""
        lines.append(f"{section.tokens:>7}    {section.name} ({section.items}{cut})")
        lines += [f"{i.tokens:>11}    {i.label} [{i.why}]" for i in section.taken]
        lines += [f"{'cut':>11}    {label}" for label in section.left]
    return lines
