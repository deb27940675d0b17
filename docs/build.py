"""Write docs/rules: a page for each rule, made of the rule's own file, and their index. `python
docs/build.py`, or `make docs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from envdoctor.cli.manual import PLACES
from envdoctor.reporters.sarif import as_markdown
from envdoctor.rules.engine.registry import Rule, all_rules

FOLDER = Path(__file__).parent / "rules"

FAMILIES = {
    "API": "The environment's contract",
    "ASY": "Coroutines",
    "BUF": "Replay memory",
    "CLS": "Closing",
    "DET": "Determinism",
    "DOC": "The doctor's own limits",
    "HNG": "Hangs",
    "LEK": "Growth",
    "MAK": "Construction",
    "PRC": "Processes",
    "REG": "Finding and rebuilding the environment",
    "RUS": "Reuse of instances",
    "SFX": "Side effects on the process",
    "TRN": "Training runs",
    "VEC": "Workers",
}


def pages() -> dict[str, str]:
    """{file name: text} of everything in docs/rules."""
    rules = tuple(all_rules().values())
    return {"README.md": index(rules), **{f"{rule.code}.md": page(rule) for rule in rules}}


def page(rule: Rule) -> str:
    """One rule's manual page."""
    played = f"Judged {PLACES.get(rule.where, 'without a manager and under each one')}"
    needs = f"; plays {' or '.join(f'`{name}`' for name in rule.needs)}" if rule.needs else ""
    reads = (
        f"; reads {', '.join(rule.sensors + rule.meters)}" if rule.sensors or rule.meters else ""
    )
    head = (
        f"# {rule.code} {rule.name}\n\n{rule.summary} Severity: {rule.severity}."
        f" {played}{needs}{reads}."
    )
    return f"{head}\n\n{as_markdown(rule.manual)}\n\n[All rules](README.md)\n"


def index(rules: tuple[Rule, ...]) -> str:
    """Every rule, by family."""
    return (
        "# Rules\n\n`envdoctor explain CODE` shows the same pages.\n\n"
        + "\n\n".join(_families(rules))
        + "\n"
    )


def _families(rules: tuple[Rule, ...]) -> Iterator[str]:
    for family, members in groupby(rules, key=lambda rule: rule.code[:3]):
        rows = [
            f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.summary} |"
            for rule in members
        ]
        yield "\n".join(
            [
                f"## {FAMILIES[family]}",
                "",
                "| code | name | severity | what |",
                "|---|---|---|---|",
                *rows,
            ]
        )


def main() -> None:
    """Write what has changed, and remove the pages of rules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for name, text in wanted.items():
        FOLDER.joinpath(name).write_text(text, encoding="utf-8")
    for file in FOLDER.glob("*.md"):
        if file.name not in wanted:
            file.unlink()


if __name__ == "__main__":
    main()
