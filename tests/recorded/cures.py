"""The count of verified code: of the sick environments of the zoo and the public reports, how many
have their cure in the user's own files, and for how many envdoctor shows code, by family.
`python -m tests.recorded cures` writes the table into docs/fixing.md, and so do `record` and `accept`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.recorded import keeping
from tests.recorded.catalogue import cases
from tests.recorded.snapshots import Snapshot

CHOICES = Path(__file__).with_name("choices.toml")
PAGE = Path(__file__).parents[2] / "docs" / "fixing.md"
BEGIN, END = "<!-- cures: begin -->", "<!-- cures: end -->"
FAMILIES = ("zoo", "reports")
OWN = tuple(f"/checkout/tests/{folder}/" for folder in ("envs", "reports"))  # as portable text


@dataclass(frozen=True)
class Cures:
    """The sick environments of one rule: `own` have the fault at a line of the user's own files,
    `coded` of them have verified code.
    """

    own: int = 0
    coded: int = 0

    def __add__(self, other: Cures) -> Cures:
        return Cures(self.own + other.own, self.coded + other.coded)

    @property
    def share(self) -> str:
        """`35 of 270 (12 %)`."""
        return f"{self.coded} of {self.own} ({self.coded * 100 // self.own} %)"


def cures_in(snapshot: Snapshot, codes: Iterable[str]) -> Iterator[tuple[str, Cures]]:
    """Count what one recording says of the rules that it is a case of."""
    for code in codes:
        blocks = [block for block in snapshot["findings"] if block["code"] == code]
        if any(block["location"].startswith(OWN) for block in blocks):
            yield code, Cures(1, int(any(block["verified"] for block in blocks)))


def has_code(key: str) -> bool:
    """Return True where the recording of a case has verified code for what the case is of."""
    snapshot, codes = keeping.snapshot(key), cases()[key].says
    return snapshot is not None and any(
        block["verified"] for block in snapshot["findings"] if block["code"] in codes
    )


def counted() -> dict[str, Cures]:
    """The count by rule, over all recordings."""
    counts: dict[str, Cures] = {}
    for case in cases().values():
        snapshot = keeping.snapshot(case.key) if case.family in FAMILIES else None
        for code, cures in cures_in(snapshot, case.says) if snapshot else ():
            counts[code] = counts.get(code, Cures()) + cures
    return dict(sorted(counts.items()))


def choices() -> dict[str, list[str]]:
    """Cases without code (`zoo/cls005_close_slow-sick CLS005`), by what their cure depends on."""
    return tomllib.loads(CHOICES.read_text(encoding="utf-8"))


def table(counts: Mapping[str, Cures], chosen: Mapping[str, int]) -> str:
    """The count as the page has it: the sum, what the cure of the others depends on, and a row for
    each family of rules, with the count of each rule.
    """
    coded = [code for code, cures in counts.items() if cures.coded]
    total, tried = (sum(map(counts.__getitem__, codes), Cures()) for codes in (counts, coded))
    families: dict[str, Cures] = {}
    for code, cures in counts.items():
        families[code[:3]] = families.get(code[:3], Cures()) + cures
    rows = (
        f"| {family} | {cures.share} | {_each(counts, family)} |"
        for family, cures in families.items()
    )
    head = f"All rules: {total.share}. Rules with code for one of them or more: {tried.share}."
    parts = "; ".join(f"{text} ({number})" for text, number in chosen.items())
    others = f"Of the {total.own - total.coded} others, {sum(chosen.values())} depend on: {parts}."
    return "\n".join(
        (head, "", others, "", "| rules | verified code | each of them |", "|---|---|---|", *rows)
    )


def _each(counts: Mapping[str, Cures], family: str) -> str:
    """`[API001](rules/API001.md) 4 of 5`, for each rule of a family."""
    return ", ".join(
        f"[{code}](rules/{code}.md) {cures.coded} of {cures.own}"
        for code, cures in counts.items()
        if code.startswith(family)
    )


def with_table(page: str, text: str) -> str:
    """The page with this table between its marks."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


def write() -> None:
    """Write the table into the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_table(page, current()), encoding="utf-8")


def current() -> str:
    """The table of the recordings as they are."""
    return table(counted(), {text: len(cases) for text, cases in choices().items()})
