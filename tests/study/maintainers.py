"""Reports for the maintainers of packages: what is wrong, lines that show it, the cure."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.study import STUDY, evidence, packages
from tests.study.keeping import results
from tests.study.tables import TRUE, Verdict, verdicts

REPORTS = STUDY / "reports"


def write_reports() -> None:
    """A text a script of evidence. Nothing is sent."""
    REPORTS.mkdir(exist_ok=True)
    cures = _cures()
    for script in evidence():
        lines = script.path.read_text().split("\n", 1)[1].strip()
        requirement = packages()[script.package].requirements[0].replace("==", " ")
        cure = cures.get(script.path.stem) or ["none is known to us"]
        text = [f"{requirement}: {script.statement}"]
        text += ["", "To reproduce:", "", lines, "", "Cure:", "", *cure]
        (REPORTS / f"{script.path.stem}.txt").write_text("\n".join(text) + "\n")


def _cures() -> dict[str, list[str]]:
    """The remedies of the true findings that a script confirms, by its name."""
    cures: dict[str, dict[str, None]] = defaultdict(dict)
    for package, result in results():
        for finding in result["judged"]["findings"]:
            for verdict in verdicts():
                if _is_confirmed(verdict, package, finding):
                    cures[Path(verdict.proof).stem][f"- {finding['remedy']['text']}"] = None
    return {name: list(texts) for name, texts in cures.items()}


def _is_confirmed(verdict: Verdict, package: str, finding: dict[str, str]) -> bool:
    return (
        verdict.verdict == TRUE
        and (verdict.package, verdict.rule) == (package, finding["code"])
        and verdict.about in finding["message"]
        and finding["severity"] != "note"
    )
