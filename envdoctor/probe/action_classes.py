"""Actions that are objects of a class: the one that step() names in its annotation, a pydantic
model or a dataclass.

An object is built from a table of the user's, or its fields are filled where they say what they
hold. A text may be any text, as in a game of words; a number without bounds may be illegal, so it
is not guessed.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import math
import random
import typing
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from envdoctor.model.actions import FIELDS
from envdoctor.probe import given_actions

Known = Dict[
    object, Dict[str, Tuple[object, object]]
]  # {class: {field: (annotation, what bounds it)}}

STREAM = object()  # what is drawn goes on with its stream over all resets
TEXT = "hello"
NONE = type(None)


def class_of(environment: object) -> Optional[type]:
    """The class of the action that step() takes, as its annotation says; None where it says none
    that can be built from its fields.
    """
    return class_in(type(environment))


def class_in(kind: object, method: str = "step") -> Optional[type]:
    """Return the class of the action that `method` of a class takes, as annotated, or None."""
    step: Any = getattr(kind, method, None)
    try:
        names = [name for name in inspect.signature(step).parameters if name != "self"]
        action = typing.get_type_hints(step).get(names[0])
    except Exception:  # no signature, or a name that only a checker of types knows
        return None
    return action if _is_built(action) else None


def _is_built(kind: object) -> bool:
    return isinstance(kind, type) and (
        dataclasses.is_dataclass(kind)
        or any(isinstance(getattr(kind, name, None), Mapping) for name in FIELDS_OF_PYDANTIC)
    )


FIELDS_OF_PYDANTIC = ("model_fields", "__fields__")  # of version 2 and of version 1


class Fields:
    """Draws objects of a class as a space does, or says in `why_not` why their fields do not tell
    enough.
    """

    source = STREAM

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.why_not = ""
        self._random = random.Random(0)  # noqa: S311
        self._known: Known = {}
        try:
            built(kind, random.Random(0), self._known)  # noqa: S311
        except Unsaid as unsaid:
            self.why_not = str(unsaid)
        except Exception as error:  # a name that only a checker of types knows, a class of itself
            self.why_not = "the fields of %s cannot be read: %s" % (
                kind.__name__,
                given_actions.shortly(error),
            )

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        self._random.seed(seed)

    def sample(self, *_mask: object) -> object:
        """One action. Raises Unplayable: the first draw says little of a class that checks how
        its fields go together.
        """
        try:
            action = built(self.kind, self._random, self._known)
        except Unsaid as unsaid:
            raise given_actions.failed("%s; %s" % (unsaid, given_actions.HOW)) from unsaid
        given_actions.note(FIELDS, action)
        return action

    def fit(self, value: object) -> object:
        """An action of a table; an object that a function made is one already."""
        return made(self.kind, value)

    def contains(self, action: object) -> bool:
        """Return whether it is an object of the class."""
        return isinstance(action, self.kind)

    def __repr__(self) -> str:
        return "objects of %s" % self.kind.__name__


class Unsaid(Exception):
    """A field does not say which values are legal."""


def made(kind: type, value: object) -> object:
    """An object of the class from a table of its fields. Raises what the class raises."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise TypeError("expected a table with the fields of %s" % kind.__name__)
    validate = getattr(kind, "model_validate", None) or getattr(kind, "parse_obj", None)
    return validate(dict(value)) if callable(validate) else kind(**value)


def built(kind: type, stream: random.Random, known: Known) -> object:
    """An object of the class, each field that it insists on filled. What fields a class has is
    `known` from the first one on: to read it takes longer than to draw. Raises Unsaid.
    """
    if kind not in known:
        known[kind] = _required(kind)
    values = {
        name: _drawn(annotation, bounds, stream, "%s.%s" % (kind.__name__, name), known)
        for name, (annotation, bounds) in known[kind].items()
    }
    try:
        return made(kind, values)
    except Exception as error:  # it wants more than its fields say
        reason = " ".join(str(error).split())[:200]
        raise Unsaid("%s does not take %r: %s" % (kind.__name__, values, reason)) from error


def _required(kind: type) -> Dict[str, Tuple[object, object]]:
    """{name: (annotation, what bounds it)} of the fields without a default."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        missing = dataclasses.MISSING
        return {
            field.name: (hints.get(field.name), ())
            for field in dataclasses.fields(kind)
            if field.init and field.default is missing and field.default_factory is missing
        }
    fields = getattr(kind, FIELDS_OF_PYDANTIC[0], None) or getattr(kind, FIELDS_OF_PYDANTIC[1], {})
    required: Dict[str, Tuple[object, object]] = {}
    for name, field in fields.items():
        asked: object = getattr(field, "is_required", None)
        if not (asked() if callable(asked) else getattr(field, "required", True)):
            continue
        annotation = getattr(field, "annotation", None) or getattr(field, "outer_type_", None)
        required[getattr(field, "alias", None) or name] = (
            annotation,
            tuple(getattr(field, "metadata", ())),
        )
    return required


def _drawn(
    annotation: object, bounds: object, stream: random.Random, where: str, known: Known
) -> object:
    """A value that an annotation allows. Raises Unsaid."""
    origin, arguments = _origin(annotation), list(getattr(annotation, "__args__", ()))
    if origin is not None and getattr(origin, "_name", str(origin)) == "Literal":
        return stream.choice(arguments)
    if _is_union(origin):
        return None if NONE in arguments else _drawn(arguments[0], bounds, stream, where, known)
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return stream.choice(list(annotation))
        if _is_built(annotation):
            return built(annotation, stream, known)
        draw = DRAWN.get(annotation)
        if draw is not None:
            return draw(bounds, stream, where)
    if origin in (list, dict) and not bounds:
        return origin()
    raise Unsaid("which values %s takes cannot be told from its type" % where)


def _origin(annotation: object) -> object:
    return getattr(annotation, "__origin__", None) or (
        typing.Union if type(annotation).__name__ == "UnionType" else None
    )


def _is_union(origin: object) -> bool:
    return origin is typing.Union


def _bound(bounds: Any, name: str) -> Any:
    return next(
        (getattr(bound, name) for bound in bounds if getattr(bound, name, None) is not None), None
    )


def _text(bounds: object, _stream: random.Random, where: str) -> str:
    if _bound(bounds, "pattern") is not None:
        raise Unsaid("which texts %s takes cannot be told from its pattern" % where)
    least, most = _bound(bounds, "min_length") or 0, _bound(bounds, "max_length")
    return (TEXT * (1 + least // len(TEXT)))[: max(least, len(TEXT)) if most is None else most]


def _number(bounds: object, where: str) -> "tuple[float, float]":
    least = _first(_finite(bounds, "ge"), _finite(bounds, "gt"))
    most = _first(_finite(bounds, "le"), _finite(bounds, "lt"))
    if least is None or most is None:
        raise Unsaid("which numbers %s takes cannot be told without bounds" % where)
    return least, most


def _first(*values: Optional[float]) -> Optional[float]:
    return next((value for value in values if value is not None), None)


def _finite(bounds: object, name: str) -> Optional[float]:
    """A bound; an infinite one is none."""
    value = _bound(bounds, name)
    return float(value) if value is not None and math.isfinite(value) else None


def _integer(bounds: object, stream: random.Random, where: str) -> int:
    low, high = _number(bounds, where)
    least = math.floor(low) + 1 if _finite(bounds, "gt") is not None else math.ceil(low)
    most = math.ceil(high) - 1 if _finite(bounds, "lt") is not None else math.floor(high)
    return stream.randint(least, max(least, most))


def _real(bounds: object, stream: random.Random, where: str) -> float:
    low, high = _number(bounds, where)
    return low + (high - low) * (0.01 + 0.98 * stream.random())


def _truth(_bounds: object, stream: random.Random, _where: str) -> bool:
    return stream.random() < 0.5


DRAWN: Dict[object, Callable[[object, random.Random, str], object]] = {
    str: _text,
    int: _integer,
    float: _real,
    bool: _truth,
}


def space_of(environment: object) -> Optional[Fields]:
    """Return the source of actions of an environment without an action space: the fields of its
    action's class. None where it has no such class.
    """
    kind = class_of(environment)
    return None if kind is None else Fields(kind)
