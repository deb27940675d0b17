"""Growth per call of each operation, from short designs: blocks that differ in how often each
operation runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from envdoctor.model.fast_dataclass import dataclass

NAMES = ("create", "reset", "step", "render")
EVENT, NOISE = 1.5, 0.03  # by which a design may miss its fit: things, share
MISFIT = 0.3  # of the largest design, by which none may miss it: then growth is not a sum of calls
ALIKE = 2  # times as much as the best fit from below, that another one may miss
CLEAN = 4  # times as exact as noise has to be, where one design is left out for what it took once


@dataclass(frozen=True)
class Design:
    """A block of `leak-design`: how often each operation ran, and by how much one meter rose."""

    creates: int
    resets: int
    steps: int
    delta: int
    renders: int = 0


@dataclass(frozen=True)
class PerOperation:
    """Growth per call of each operation."""

    create: float = 0.0
    reset: float = 0.0
    step: float = 0.0
    render: float = 0.0


def attribute(
    designs: Sequence[Design],
    event: float = EVENT,
    from_below: bool = False,
    misfit: float = MISFIT,
) -> PerOperation | None:
    """Growth per create, reset, step and render by least squares; None where the designs do not
    tell them apart.

    No operation is said to shrink anything: where the best fit has one that does (CarRacing draws
    another track in each design), it is fitted again without that one. Where the counts are not
    exact, the fewest operations that explain them are enough: one object in 25 creates gives 7 or 8
    in as many designs, and the difference does not come from step(). What is taken once in one of
    them (a table that doubles) does not come from any operation; `from_below` where many of them
    may have taken something once. Where no sum of calls comes near them, the answer is empty: a
    process that an instance starts in its ninth step does not come from each step. `misfit` is the
    share of the largest design by which others may be missed: none for what is counted one by one,
    which depends on more than the number of calls where it is missed, as on the actions.
    """
    rows = [(design.creates, design.resets, design.steps, design.renders) for design in designs]
    deltas = [float(design.delta) for design in designs]
    used = [at for at in range(len(NAMES)) if any(row[at] for row in rows)]
    if from_below and used:
        below = _from_below(rows, deltas, used)
        most = max(map(abs, deltas))
        if _explains(below, rows, deltas, event, misfit, of=most):
            return _per_operation(below, rows)
    rounded = _fit(rows, deltas, used)
    if rounded is None or not used:
        return None
    fit = _without_shrinking(rounded, rows, deltas)
    if not _explains(fit, rows, deltas, 0.0, 0.0):
        once = _but_for_one(rows, deltas, used, event / CLEAN) if event > EVENT else None
        if once is not None:
            return _per_operation(once, rows)
        fit = _fewest(tuple(fit), rows, deltas, event) or fit
        if not _explains(fit, rows, deltas, event, misfit, of=max(map(abs, deltas))):
            return None
    return _per_operation(fit, rows)


Counts = Sequence[tuple[int, int, int, int]]


def _per_operation(fit: Mapping[int, float], rows: Counts) -> PerOperation:
    return PerOperation(
        **{NAMES[at]: _rounded(value) for at, value in fit.items() if value * _most(rows, at) >= 1}
    )


def _fewest(
    operations: Sequence[int], rows: Counts, deltas: Sequence[float], event: float
) -> dict[int, float] | None:
    """The fit of the fewest of the operations that meets all designs to an event, of several the
    nearest. Two blocks of resets that left nothing, and two with steps that left three each, were
    one in every other reset(), which misses each of them by an event and a half.
    """
    for size in range(1, len(operations)):
        fits = (_fit(rows, deltas, subset) for subset in combinations(operations, size))
        near = [
            fit
            for fit in fits
            if fit and min(fit.values()) >= 0 and _explains(fit, rows, deltas, event, NOISE)
        ]
        if near:
            return min(near, key=lambda fit: _missed(fit, rows, deltas))
    return None


def _missed(fit: Mapping[int, float], rows: Counts, deltas: Sequence[float]) -> float:
    """Return by how much a fit misses the designs, as a sum of squares."""
    return sum((delta - total) ** 2 for delta, total in zip(deltas, _sums(fit, rows), strict=True))


def _but_for_one(
    rows: Counts, deltas: Sequence[float], used: Sequence[int], event: float
) -> dict[int, float] | None:
    """The fit that meets all designs but one cleanly, where that one rose by more than its calls
    take, and no fit meets all of them so. A list that outgrew the interpreter's own heap took 640
    bytes in one design, which looked like 46 for each new instance.
    """
    rounded = _without_shrinking(_fit(rows, deltas, used) or {}, rows, deltas)
    if _explains(rounded, rows, deltas, event, 0.0):
        return None
    for at in sorted(range(len(rows)), key=lambda at: -deltas[at]):
        others = [row for place, row in enumerate(rows) if place != at]
        rises = [delta for place, delta in enumerate(deltas) if place != at]
        fit = _fit(others, rises, used)
        if fit is None:  # without it, the designs do not tell the operations apart
            continue
        fit = _without_shrinking(fit, others, rises)
        explained = sum(value * rows[at][place] for place, value in fit.items())
        if deltas[at] - explained > event and _explains(fit, others, rises, event, 0.0):
            return fit
    return None


def _from_below(rows: Counts, deltas: Sequence[float], used: Sequence[int]) -> dict[int, float]:
    """The fit that comes nearest to the designs and exceeds none of them: what is taken once only
    adds. Beside threads that grow, the tables of the interpreter took up to 6 KB in one design or
    the other, and 208 bytes a step were 195 by least squares. It is the best of all fits that meet
    as many designs exactly as they have operations, as in linear programming. Of fits that miss
    about as much, the one with the fewest operations.
    """
    rounded = sum(deltas)
    best: list[tuple[float, dict[int, float]]] = [(rounded, {})]
    for operations in _subsets(used):
        below = [
            (rounded - sum(_sums(fit, rows)), fit)
            for fit in _exact_fits(rows, deltas, operations)
            if _is_below(fit, rows, deltas)
        ]
        best += [min(below, key=lambda each: each[0])] if below else []
    least = min(missed for missed, _ in best)
    near = (fit for missed, fit in best if missed <= max(ALIKE * least, EVENT * len(rows)))
    return min(near, key=len)


def _subsets(used: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return (part for size in range(1, len(used) + 1) for part in combinations(used, size))


def _exact_fits(
    rows: Counts, deltas: Sequence[float], operations: Sequence[int]
) -> Iterator[dict[int, float]]:
    """The fits of these operations that meet as many designs exactly, and in which none shrinks."""
    for places in combinations(range(len(rows)), len(operations)):
        fit = _fit([rows[at] for at in places], [deltas[at] for at in places], operations)
        if fit is not None and min(fit.values()) >= 0:
            yield fit


def _sums(fit: Mapping[int, float], rows: Counts) -> list[float]:
    """Return the growth that a fit predicts for each design."""
    return [sum(value * row[at] for at, value in fit.items()) for row in rows]


def _is_below(fit: Mapping[int, float], rows: Counts, deltas: Sequence[float]) -> bool:
    """Return True if a fit exceeds no design, apart from rounding."""
    return all(total <= delta + 1 for total, delta in zip(_sums(fit, rows), deltas, strict=True))


def _fit(rows: Counts, deltas: Sequence[float], used: Sequence[int]) -> dict[int, float] | None:
    """The growth of each of the operations `used` (by place), if nothing else grew."""
    solved = least_squares([[float(row[at]) for at in used] for row in rows], deltas)
    return None if solved is None else dict(zip(used, solved, strict=True))


def _without_shrinking(
    fit: dict[int, float], rows: Counts, deltas: Sequence[float]
) -> dict[int, float]:
    """The fit of those operations that grow."""
    while fit and min(fit.values()) < 0:
        worst = min(fit.items(), key=lambda item: item[1] * _most(rows, item[0]))[0]
        fit = _fit(rows, deltas, [at for at in fit if at != worst]) or {}
    return fit


def _most(rows: Counts, at: int) -> int:
    """Return the calls of an operation in the design that has most of them."""
    return max(row[at] for row in rows)


def _explains(
    fit: Mapping[int, float],
    rows: Counts,
    deltas: Sequence[float],
    event: float,
    noise: float,
    of: float = 0.0,
) -> bool:
    """Return True if the fit meets every design to an event, or to a share of it or of `of`."""
    misses = (
        (abs(delta - sum(value * row[at] for at, value in fit.items())), delta)
        for row, delta in zip(rows, deltas, strict=True)
    )
    return all(
        miss <= max(1e-6 * abs(delta), event, noise * (of or abs(delta)), 1e-6)
        for miss, delta in misses
    )


def _rounded(value: float) -> float:
    near = round(value)
    return float(near) if (near and abs(value - near) <= 0.1) or value >= 100 else value


def least_squares(rows: Sequence[Sequence[float]], values: Sequence[float]) -> list[float] | None:
    """The solution of the normal equations by elimination with pivots; None when they have more
    than one.
    """
    size = len(rows[0]) if rows else 0
    matrix = [
        [sum(row[i] * row[j] for row in rows) for j in range(size)]
        + [sum(row[i] * value for row, value in zip(rows, values, strict=True))]
        for i in range(size)
    ]
    for column in range(size):
        pivot = max(range(column, size), key=lambda at: abs(matrix[at][column]))
        if abs(matrix[pivot][column]) < 1e-6:
            return None
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for at in range(size):
            if at != column:
                share = matrix[at][column] / matrix[column][column]
                matrix[at] = [
                    own - share * other
                    for own, other in zip(matrix[at], matrix[column], strict=True)
                ]
    return [matrix[at][size] / matrix[at][at] for at in range(size)] if size else None
