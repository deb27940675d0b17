"""The tables of docs/study/README.md, from the kept results and docs/study/verdicts.toml."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.study import STUDY, packages
from tests.study.keeping import results

TRUE, FALSE, ARGUABLE, UNVERIFIED = "true", "false", "arguable", "not verified"
PER_MILLION = re.compile(r"([\d.]+) (bytes|KiB|MiB|GiB|TiB) per million (\w+)")
UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
Z = 1.96  # of an interval of 95 %


@dataclass(frozen=True)
class Accusation:
    """A finding of a package. One that several of its ids share counts once."""

    package: str
    code: str
    severity: str
    message: str


@dataclass(frozen=True)
class Verdict:
    """The judgement of accusations whose message contains `about`; `mended` where a later version
    of envdoctor does not make them any more.
    """

    package: str
    rule: str
    verdict: str
    proof: str
    about: str = ""
    severity: str = ""
    mended: bool = False

    def judges(self, accusation: Accusation) -> bool:
        return (self.package, self.rule) == (
            accusation.package,
            accusation.code,
        ) and self.about in accusation.message


def verdicts() -> list[Verdict]:
    rows = tomllib.loads((STUDY / "verdicts.toml").read_text())["verdict"]
    return [Verdict(**row) for row in rows]


def accusations(results: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Accusation]:
    """Errors and warnings, each once a package."""
    known: dict[tuple[object, ...], Accusation] = {}
    for package, result in results:
        for finding in result["judged"]["findings"]:
            if finding["severity"] != "note" and finding["status"] == "open":
                place = finding["location"] or {}
                key = (package, finding["code"], place.get("file"), place.get("line"))
                key += (finding["severity"], "" if place else finding["message"])
                known[key] = Accusation(
                    package, finding["code"], finding["severity"], finding["message"]
                )
    return list(known.values())


def interval(true: int, total: int) -> tuple[float, float]:
    """Wilson's interval of a share, 95 %."""
    share = true / total
    center = share + Z * Z / (2 * total)
    width = Z * math.sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    return tuple(
        max(0.0, min(1.0, (center + sign * width) / (1 + Z * Z / total))) for sign in (-1, 1)
    )  # type: ignore[return-value]


def tables() -> str:
    all_results = list(results())
    made = accusations(all_results)
    judged = [(each, judgement(each)) for each in made]
    mended = [verdict for verdict in verdicts() if verdict.mended]
    return "\n\n".join(
        [
            _of_packages(all_results),
            _of_apis(all_results),
            _of_precision(judged, mended),
            *(_summary(severity, judged, mended) for severity in ("error", "warning")),
            _of_leaks(made),
            _of_time(all_results),
        ]
    )


def judgement(accusation: Accusation) -> str:
    fitting = (
        verdict for verdict in verdicts() if verdict.judges(accusation) and not verdict.mended
    )
    return next((verdict.verdict for verdict in fitting), UNVERIFIED)


def _of_packages(results: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    for package, result in results:
        sizes[package] += 1
        if result["judged"]["verdict"] == "inconclusive":
            codes[package]["not judged"] += 1
        findings = {(x["code"], x["severity"]) for x in result["judged"]["findings"]}
        codes[package].update({code for code, severity in findings if severity != "note"})
    rows = [
        f"| {package.requirements[0].replace('==', ' ')} | {sizes[name]} |"
        f" {', '.join(sorted(codes[name])) or 'healthy'} | {package.reason} |"
        for name, package in packages().items()
        if sizes[name]
    ]
    return "\n".join(
        [
            "| package | environments | errors and warnings | chosen because |",
            "|---|---|---|---|",
            *rows,
        ]
    )


def _of_apis(results: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """How many packages of each API have an error, a warning at most, and neither."""
    worst: dict[str, str] = {}
    for package, result in results:
        found = {x["severity"] for x in result["judged"]["findings"]} | {worst.get(package, "")}
        worst[package] = next((level for level in ("error", "warning") if level in found), "")
    rows = []
    for api in dict.fromkeys(package.api for package in packages().values()):
        levels = Counter(worst[name] for name, each in packages().items() if each.api == api)
        total, name = sum(levels.values()), "one of its own" if api == "own" else api
        rows.append(
            f"| {name} | {total} | {levels['error']} | {levels['warning']} | {levels['']} |"
        )
    head = "| API | packages | with an error | with a warning at most | with neither |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


def _of_precision(judged: list[tuple[Accusation, str]], mended: list[Verdict]) -> str:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for accusation, verdict in judged:
        counts[accusation.code][verdict] += 1
    for verdict in mended:
        counts[verdict.rule]["mended"] += 1
    rows = [
        f"| {code} | {count[TRUE]} | {count[ARGUABLE]} | {count[FALSE]} | {count['mended']} | {count[UNVERIFIED]} |"
        for code, count in sorted(counts.items())
    ]
    head = "| rule | true | arguable | false | false before, mended | not verified |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _summary(severity: str, judged: list[tuple[Accusation, str]], mended: list[Verdict]) -> str:
    verdict = Counter(v for accusation, v in judged if accusation.severity == severity)
    wrong = sum(each.severity == severity for each in mended)
    texts = []
    for name, false in (("before mending", verdict[FALSE] + wrong), ("now", verdict[FALSE])):
        total = verdict[TRUE] + false
        low, high = interval(verdict[TRUE], total) if total else (0.0, 1.0)
        texts.append(f"{name} {verdict[TRUE]} of {total} are true ({low:.0%} to {high:.0%})")
    return f"{severity.capitalize()}s: {'; '.join(texts)}."


def _of_leaks(made: Iterable[Accusation], most: int = 10) -> str:
    """What costs most in a million of its own unit: instances, cycles, resets or steps."""
    costs: dict[tuple[str, str], tuple[float, str, str]] = {}
    for each in made:
        what, _, rest = each.message.partition(": ")
        cost = PER_MILLION.match(rest)
        if each.code.startswith("LEK") and cost:
            number = float(cost[1]) * UNITS[cost[2]]
            key = (each.package, cost[3])
            costs[key] = max(costs.get(key, (0.0, "", "")), (number, what, cost[0]))
    rows = sorted(((*cost, package) for (package, _), cost in costs.items()), reverse=True)
    lines = [f"| {package} | {_brief(what)} | {cost} |" for _, what, cost, package in rows[:most]]
    return "\n".join(["| package | what stays | cost |", "|---|---|---|", *lines])


def _brief(what: str) -> str:
    """Without the types of the objects."""
    return re.sub(r" \([^()]*\)", "", what)


def _of_time(results: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    seconds = sorted(result["judged"]["seconds"] for _, result in results)
    return (
        f"{len(seconds)} examinations: median {median(seconds):.0f} s, longest {seconds[-1]:.0f} s."
    )
