"""The places that a finding's evidence and a description name, as values."""

from __future__ import annotations

from typing import List, Mapping, Tuple

from envdoctor.model.errors import read_place
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class NamedPlaces:
    """`acquired_at` are the lines that took what is left, `lines` those that add to what grows,
    `holders` the names of what holds it; `others` is how many more lines memray saw. `is_growth`:
    something was counted from cycle to cycle.
    """

    acquired_at: Tuple[Location, ...] = ()
    lines: Tuple[Location, ...] = ()
    holders: Tuple[str, ...] = ()
    others: int = 0
    is_growth: bool = False

    @property
    def is_empty(self) -> bool:
        """True if no place is named."""
        return not (self.acquired_at or self.lines or self.holders or self.others)

    @classmethod
    def in_evidence(cls, evidence: Mapping[str, object]) -> NamedPlaces:
        """Read the places that a finding's evidence names."""
        holders = [holder.get("chain") for holder in _mappings(evidence.get("holders"))]
        return cls(
            _locations(evidence.get("taken_at")),
            _locations(evidence.get("lines")),
            tuple(str(name) for name in [evidence.get("held_in"), *holders] if name),
            len(_mappings(evidence.get("records"))),
            "meter" in evidence,
        )


def _mappings(value: object) -> List[Mapping[str, object]]:
    """The mappings of a list; rules of others have what they like under the same key."""
    return (
        [mapping for mapping in value if isinstance(mapping, Mapping)]
        if isinstance(value, (list, tuple))
        else []
    )


def _locations(value: object) -> Tuple[Location, ...]:
    places = map(read_place, _mappings(value))
    return tuple(Location.at(place.frame) for place in places if place)
