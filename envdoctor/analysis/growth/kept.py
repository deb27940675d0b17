"""Growth that containers kept: the rise of a pass before a container was cut back, less that of the
next one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from envdoctor.analysis.growth.attribution import least_squares
from envdoctor.analysis.growth.sides import Holder, Pass
from envdoctor.model.meters import CHILD_MEMORY, MEMORY, meter_of, things

GPU = "gpu"


def resources(meters: Collection[str]) -> tuple[str, ...]:
    """Those that are neither objects nor memory of the process: things, and the GPU's memory."""
    return (*things(meters), *(name for name in meters if name == GPU))


def is_resource(meter: str) -> bool:
    """Return whether it counts things, or memory that is not the process's own."""
    return meter in (GPU, CHILD_MEMORY) or meter_of(meter).thing


def kept_by(passes: Sequence[Pass], holders: Sequence[Holder], at: int, meter: str) -> float | None:
    """Return how much of a meter a container kept in all blocks of a pass: the rise of the pass
    before it was cut back, less that of the pass after. Containers that were cut back together
    share it by their elements.
    """
    before = [each for each in passes if each.cut <= at]
    after = [each for each in passes if each.cut > at]
    if not before or not after:
        return None
    first, second = before[-1], after[0]
    together = range(first.cut, min(second.cut, len(holders)))
    if len(together) > 1:
        shares = _kept_by_each(first, second, together, meter)
        if shares is not None:
            return shares[at - first.cut] * first.elements[at]
        if is_resource(meter):
            return None  # elements do not tell whose they are
    elements = sum(first.elements[index] for index in together) if first.elements else 0
    share = first.elements[at] / elements if elements and at < len(first.elements) else 1.0
    if meter == MEMORY and elements and first.is_unsteady:
        each = _steady_difference(first, second, together)
        return None if each is None else each * elements * share
    earlier, later = first.rise(meter), second.rise(meter)
    return None if earlier is None or later is None else (earlier - later) * share


def _kept_by_each(
    first: Pass, second: Pass, holders: Sequence[int], meter: str
) -> list[float] | None:
    """Return the amount kept by an element of each of these holders, which were cut back together.
    None where the designs do not give them different numbers of elements.
    """
    rows, values = [], []
    for earlier, later, grown in zip(
        first.rises(meter), second.rises(meter), first.grown, strict=False
    ):
        if earlier is None or later is None or len(grown) <= max(holders):
            return None
        rows.append([float(grown[index]) for index in holders])
        values.append(float(earlier - later))
    return least_squares(rows, values)


def _steady_difference(first: Pass, second: Pass, holders: Iterable[int]) -> float | None:
    """Bytes that each element of the holders keeps: the median over the designs, weighted by
    their elements. Beside threads that grow, some designs took some KB once, in one pass only.
    """
    result: list[tuple[float, int]] = []
    for earlier, later, grown in zip(
        first.rises(MEMORY), second.rises(MEMORY), first.grown, strict=False
    ):
        elements = sum(grown[index] for index in holders)
        if earlier is not None and later is not None and elements > 0:
            result.append(((earlier - later) / elements, elements))
    reached, half = 0, sum(elements for _, elements in result) / 2
    for each, elements in sorted(result):
        reached += elements
        if reached >= half:
            return each
    return None
