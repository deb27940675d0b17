"""One finding: message, place, cause, evidence, remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from envdoctor.model.finding import HIGH, NOTE, Finding
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import Case, Place, name_places
from envdoctor.reporters._screen import fault
from envdoctor.reporters._showing import bounded
from envdoctor.reporters.html.evidence import code, proof
from envdoctor.reporters.html.manual import entries, manual
from envdoctor.reporters.html.markup import Element, Node, tag
from envdoctor.reporters.html.parts import folded

GLYPHS = {"error": "✗", "warning": "!", "note": "i"}
LEAST_HEADING, MAX_HEADING = 25, 110  # characters
MAX_OTHER_PLACES = 12  # places whose own words are shown


def badge(severity: str) -> Element:
    """The severity as a word and a sign; the colour only repeats it."""
    return tag(
        "span",
        tag("span", GLYPHS.get(severity, "?"), aria_hidden="true"),
        f" {severity}",
        class_=f"badge {severity}",
    )


def card(
    case: Case,
    anchor: str,
    workers: dict[Place, int],
    with_manual: bool,
    plots: str = "",
    others: Sequence[tuple[Case, str]] = (),
) -> Element:
    """The whole case. The manual page stands at the first case of its rule; the others lead there.
    `plots` is the anchor of what is drawn of it elsewhere. `others` are cases of the same cause
    with their anchors.
    """
    first = case.first
    heading, text = headed(first)
    title = tag("h4", badge(first.severity), " ", tag("span", heading, class_="message"))
    name = tag("p", tag("code", first.code), f" {first.name}", class_="quiet")
    page = manual(first.code) if with_manual else _to_manual(first.code)
    return tag(
        "article",
        title,
        name,
        tag("p", bounded(text)) if text else None,
        _facts(case, workers, plots),
        _other_places(case),
        [_also(other, at, workers) for other, at in others],
        page,
        class_=f"case {first.severity}",
        id=anchor,
    )


def headed(finding: Finding) -> tuple[str, str]:
    """A heading, and the whole sentence where that is longer: the command lines of processes, and
    long lists, are not headings.
    """
    message = bounded(finding.message)
    head, colon, listed = message.partition(": ")
    named = [
        str(text)
        for proof in finding.evidence.values()
        for text in (proof.values() if isinstance(proof, Mapping) else ())
    ]
    if colon and any(text and listed.startswith(text) for text in named):
        return head, message
    if len(message) <= MAX_HEADING:
        return message, ""
    if colon and LEAST_HEADING <= len(head) <= MAX_HEADING:
        return head, message
    return message[:MAX_HEADING].rsplit(" ", 1)[0] + " ...", message


def _also(case: Case, anchor: str, workers: dict[Place, int]) -> Element:
    """Another finding of the same cause, folded."""
    first = case.first
    opener = (
        "The same cause: ",
        badge(first.severity),
        " ",
        tag("code", first.code),
        " ",
        headed(first)[0],
    )
    element = tag("p", bounded(first.message))
    return folded(opener, element, _facts(case, workers), _to_manual(first.code), id=anchor)


def _facts(case: Case, workers: dict[Place, int], plots: str = "") -> Element:
    """Place, cause, evidence, remedy."""
    first = case.first
    drawn = tag("p", tag("a", "Plots, stacks and holders", href=f"#{plots}")) if plots else None
    return tag(
        "dl",
        _term("Seen in", places(case.places, workers)),
        _term("Where", place(first)),
        _term("Cause", _blames(case)),
        _term("Evidence", [part for part in (_proof(case), drawn) if part]),
        _term("Remedy", (tag("p", bounded(first.remedy.text)), list(code(first.remedy.commands)))),
        class_="facts",
    )


def _to_manual(code: str) -> Node:
    return (
        tag("p", tag("a", f"Manual page of {code}", href=f"#manual-{code}"))
        if code in entries()
        else None
    )


def _term(name: str, reported: Node) -> Node:
    return (tag("dt", name), tag("dd", reported)) if reported else None


def places(known: Iterable[Place], workers: dict[Place, int]) -> Node:
    """Each manager with its start methods."""
    managers: dict[str, list[Place]] = {}
    for spot in known:
        managers.setdefault(spot[0], []).append(spot)
    return tag(
        "ul", [tag("li", _place(spots, workers)) for spots in managers.values()], class_="chips"
    )


def _place(spots: list[Place], workers: dict[Place, int]) -> str:
    return "direct, without a manager" if spots[0][0] == DIRECT else name_places(spots, workers)


def place(finding: Finding) -> Node:
    """File, line and function."""
    where = finding.location
    if where is None:
        return None
    return tag("code", f"{where.file}:{where.line}", class_="path"), (
        [" in ", tag("code", where.function)] if where.function else None
    )


def _blames(case: Case) -> Iterator[Node]:
    sure = "" if case.first.confidence == HIGH else f" (confidence: {case.first.confidence})"
    several = len(case.blames) > 1
    for blame, spots in case.blames.items():
        words = fault(case.first, blame) + sure
        yield tag(
            "p",
            tag("b", f"{name_places(spots)}: ") if several else None,
            words[:1].upper() + words[1:],
            ".",
        )


def _proof(case: Case) -> Node:
    reported = proof(case.first.evidence)
    where = name_places([(case.first.manager, case.first.start_method)])
    return (
        (
            (
                tag("p", f"As seen in {where}:", class_="quiet")
                if len(case.places) > 1 and reported
                else None
            ),
            reported,
        )
        if reported
        else None
    )


def _other_places(case: Case) -> Node:
    """Messages of the other places, where they differ."""
    others = [
        finding
        for finding in case.findings
        if finding is not case.first and finding.message != case.first.message
    ]
    if not others or case.first.severity == NOTE:
        return None
    items = [
        tag(
            "li",
            tag("b", name_places([(other.manager, other.start_method)])),
            ": ",
            bounded(other.message),
        )
        for other in others[:MAX_OTHER_PLACES]
    ]
    rest = (
        tag("li", f"and {len(others) - MAX_OTHER_PLACES} more")
        if len(others) > MAX_OTHER_PLACES
        else None
    )
    return tag(
        "details",
        tag(
            "summary",
            f"The same in {len(others)} other {'place' if len(others) == 1 else 'places'}",
        ),
        tag("ul", items, rest),
    )
