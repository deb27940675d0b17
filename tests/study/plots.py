"""The pictures of docs/study/README.md, from the kept results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.study import STUDY
from tests.study.keeping import results
from tests.study.tables import TRUE, accusations, judgement

KINDS = {
    "API": "contract of the framework",
    "VEC": "vectorizers",
    "DET": "seeds",
    "SFX": "side effects",
    "CLS": "close()",
    "LEK": "memory",
    "MAK": "construction",
    "REG": "registration",
    "PRC": "processes",
}
ERROR, WARNING = "#b2182b", "#92c5de"  # the hatches show it without color


def draw() -> None:
    """Write kinds.svg and times.svg into docs/study. Needs matplotlib."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "envdoctor", "font.size": 10})
    all_results = list(results())
    _draw_kinds(all_results)
    _draw_times(all_results)


def _draw_kinds(all_results: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """How many packages have a true error, or a true warning and no error, of each kind."""
    from matplotlib import pyplot as plt

    packages: dict[str, dict[str, set[str]]] = {
        severity: defaultdict(set) for severity in ("error", "warning")
    }
    for each in accusations(all_results):
        if judgement(each) == TRUE:
            packages[each.severity][each.code[:3]].add(each.package)
    errors, warnings = packages["error"], packages["warning"]
    kinds = sorted(KINDS, key=lambda kind: len(errors[kind] | warnings[kind]))
    figure, axes = plt.subplots(figsize=(7, 3.4))
    labels = [f"{KINDS[kind]} ({kind})" for kind in kinds]
    known = [len(errors[kind]) for kind in kinds]
    more = [len(warnings[kind] - errors[kind]) for kind in kinds]
    axes.barh(labels, known, color=ERROR, label="an error")
    axes.barh(labels, more, left=known, color=WARNING, hatch="//", label="a warning, and no error")
    axes.set_xlabel("packages")
    axes.legend(frameon=False, loc="lower right")
    _save(figure, "kinds.svg")


def _draw_times(all_results: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """The seconds of each examination, shortest first."""
    from matplotlib import pyplot as plt

    seconds = sorted(result["judged"]["seconds"] for _, result in all_results)
    figure, axes = plt.subplots(figsize=(7, 2.6))
    axes.plot(range(1, len(seconds) + 1), seconds, "o", markersize=3, color=ERROR)
    axes.set_yscale("log")
    axes.set_yticks([5, 10, 20, 50, 100, 200], ["5", "10", "20", "50", "100", "200"])
    axes.set_xlabel("examinations, shortest first")
    axes.set_ylabel("seconds")
    _save(figure, "times.svg")


def _save(figure: Any, name: str) -> None:
    for side in ("top", "right"):
        figure.axes[0].spines[side].set_visible(False)
    figure.savefig(STUDY / name, bbox_inches="tight", metadata={"Date": None})
