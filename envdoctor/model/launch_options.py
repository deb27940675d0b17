"""The options of a manager's launch, beside its factories and its start method."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple

SEED, RESET_PARAMETERS, FAILS_ONCE = "seed", "reset_param", "fails_once"


class LaunchOptions(AnyMapping):  # type: ignore[type-arg]  # it takes none in Python 3.8
    """The options of a scenario, for one launch. `seed` is for its first instance;
    `reset_parameters` are what each reset() is given, `fails_once` is the slot whose first reset
    fails. `arguments` are all others: those of the vectorizer itself, by its own names.

    By name it gives everything, as managers of other packages ask for it.
    """

    __slots__ = ("_requested", "arguments", "fails_once", "reset_parameters", "seed")

    def __init__(
        self,
        seed: int = 0,
        reset_parameters: Optional[Mapping[str, object]] = None,
        fails_once: Optional[int] = None,
        arguments: Optional[Mapping[str, object]] = None,
    ) -> None:
        self.seed = seed
        self.reset_parameters = reset_parameters
        self.fails_once = fails_once
        self.arguments: Dict[str, object] = dict(arguments or {})
        ours = {SEED: seed, RESET_PARAMETERS: reset_parameters, FAILS_ONCE: fails_once}
        self._requested = {
            **self.arguments,
            **{name: value for name, value in ours.items() if value is not None},
        }

    @classmethod
    def decode(cls, options: Iterable[Tuple[str, Any]], seed: int) -> LaunchOptions:
        """Those of a scenario. Raises ValueError for a slot that is none, and for parameters that
        are none.
        """
        values = dict(options)
        parameters = values.pop(RESET_PARAMETERS, None)
        slot = values.pop(FAILS_ONCE, None)
        if slot is not None and (not isinstance(slot, int) or slot < 0):
            raise ValueError("%s is not a slot: %r" % (FAILS_ONCE, slot))
        try:
            parameters = None if parameters is None else dict(parameters)
        except (TypeError, ValueError):
            raise ValueError("%s has no names: %r" % (RESET_PARAMETERS, parameters)) from None
        return cls(seed, parameters, slot, values)

    def __getitem__(self, name: str) -> object:
        return self._requested[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._requested)

    def __len__(self) -> int:
        return len(self._requested)
