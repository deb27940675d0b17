"""Findings of the rules on what is left after close()."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.remedy import Aim
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import (
    count,
    ends_by_itself,
    its_close,
    leaves,
    left_evidence,
    method_of,
    places_left,
    pronoun,
    site_words,
    still_there,
    verb_words,
)


@dataclass(frozen=True)
class Leftovers:
    """The `items` of a sensor that a closed environment still has, by key with their texts. They
    are `what` lines of code take ("thread"), "" where those are not known. `gone` is a clause that
    says if dropping the environment helps.
    """

    view: View
    sensor: str
    what: str
    items: Mapping[str, str]
    gone: str

    @classmethod
    def of(cls, view: View, sensor: str, what: str) -> Leftovers:
        """The items of a sensor that are left."""
        return cls(view, sensor, what, *still_there(view, sensor))

    def count(self, noun: str = "", plural: str = "") -> str:
        """`1 thread`, `3 threads`."""
        return count(self.items, noun or self.what, plural)

    @property
    def pronoun(self) -> str:
        """`it` for one item, `them` for several."""
        return pronoun(self.items)

    @property
    def in_close(self) -> str:
        """` in Arm.close() (taken in reset(), arm.py:31)`, where they are to be given back."""
        if self.what:
            sites = site_words(self.view, self.sensor, self.what, self.items)
        else:
            sites = verb_words(self.view, self.sensor)
        return f" in {its_close(self.view)}{sites}"

    def finding(
        self, rule: Rule, text: str, remedy: str, aim: Aim | None = None, **keys: Any
    ) -> Finding:
        """The finding that close() leaves what a `text` says; a note where it ends by itself. The
        `aim` is that of items whose lines are not known.
        """
        view, what = self.view, self.what
        lines = places_left(view, what, self.items) if what else []
        return rule.finding(
            f"{leaves(view)} {text}",
            remedy,
            aim=aim_at(what, lines) or aim,
            location=method_of(view, lines),
            severity=NOTE if ends_by_itself(view, self.sensor) else rule.severity,
            evidence=left_evidence(view, self.sensor, what, self.items),
            **keys,
        )
