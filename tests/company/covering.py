"""Few large companies in which many small ones stand together: each pair of illnesses in one of some
hundred environments, in place of an environment for each pair. What a large company hides is then
played alone, so that the verdict on a small one never rests on who else was there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

Names = tuple[str, ...]


def covering(
    wanted: Iterable[Names], size: int, clash: Callable[[Sequence[str]], bool]
) -> list[Names]:
    """Companies of at most `size` so that each wanted one is part of one of them: greedy, the same
    ones for the same request. Members that clash stand in no company together.
    """
    waiting = dict.fromkeys(frozenset(names) for names in wanted)
    everyone = sorted({name for names in waiting for name in names})
    companies = []
    while waiting:
        members = sorted(next(iter(waiting)))
        while len(members) < size:
            name = _next(members, everyone, waiting, clash)
            if name is None:
                break
            members.append(name)
        companies.append(tuple(members))
        covered = frozenset(members)
        waiting = {names: None for names in waiting if not names <= covered}
    return companies


def _next(
    members: Sequence[str],
    everyone: Iterable[str],
    waiting: Collection[frozenset[str]],
    clash: Callable[[Sequence[str]], bool],
) -> str | None:
    """Return the member that brings most of the wanted companies, or None where no member brings
    one.
    """
    inside = frozenset(members)
    gain = dict.fromkeys(everyone, 0)
    for names in waiting:
        missing = names - inside
        if len(missing) == 1:
            gain[next(iter(missing))] += 1
    for name in sorted(gain, key=lambda name: (-gain[name], name)):
        if not gain[name]:
            return None
        if name not in inside and not clash((*members, name)):
            return name
    return None
