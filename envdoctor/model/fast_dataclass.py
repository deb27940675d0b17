"""`@dataclass(frozen=True)` with one generated function a class instead of six. The standard
library compiles each of them, which was a third of the doctor's processor time at start (350
classes, 0.3 s). Anything but `frozen=True` is left to the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Optional

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - it is exported
else:
    from dataclasses import MISSING, Field, FrozenInstanceError, field, fields
    from dataclasses import dataclass as _standard_dataclass
    from operator import attrgetter

    ABSENT = object()

    def dataclass(cls: Optional[type] = None, **options: object) -> object:
        """Make a class a dataclass, as `dataclasses.dataclass` does."""
        if cls is None and options == {"frozen": True}:
            return _frozen
        return _standard_dataclass(cls, **options)

    def _frozen(cls: type) -> type:
        hints = vars(cls).get("__annotations__", {})
        bases = [base for base in cls.__mro__[:0:-1] if "__dataclass_fields__" in vars(base)]
        if (
            hints
            and all(base.__dataclass_params__.frozen for base in bases)
            and not any(map(_is_special, hints.values()))
        ):
            _add_fields(cls, bases, hints)
        else:
            _standard_dataclass(init=False, repr=False, eq=False, frozen=bool(bases))(cls)
            cls.__dataclass_params__.frozen = True  # what inherits from it has to be frozen, too
        own = dict(vars(cls))
        for name, method in (
            *_comparing(cls),
            ("__init__", _first_init(cls)),
            ("__repr__", _repr(cls)),
            ("__setattr__", _refuse_to_set),
            ("__delattr__", _refuse_to_delete),
        ):
            if name not in own:
                setattr(cls, name, method)
        return cls

    def _is_special(hint: object) -> bool:
        """Return True where only the standard library knows what an annotation means."""
        return not isinstance(hint, str) or "InitVar" in hint or "KW_ONLY" in hint

    @_standard_dataclass(init=False, repr=False, eq=False)
    class _Example:
        """An example of a class and of a field, as the standard library describes them."""

        field: int = 0

    _Example.__dataclass_params__.frozen = True

    def _add_fields(cls: type, bases: Iterable[type], hints: Mapping[str, str]) -> None:
        """Describe the fields as the standard library does, in a tenth of its time: it looks for
        special annotations by regular expressions, and reads the signature.
        """
        (example,) = fields(_Example)
        known = {}
        for base in bases:
            known.update(base.__dataclass_fields__)
        for name, hint in hints.items():
            if hint.startswith("ClassVar["):
                continue
            value = vars(cls).get(name, MISSING)
            each = value if isinstance(value, Field) else field(default=value)
            each.name, each.type, each._field_type = name, hint, example._field_type
            if hasattr(example, "kw_only"):
                each.kw_only = False
            known[name] = each
            if each is not value:
                continue
            if each.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, each.default)
        cls.__dataclass_fields__ = known
        cls.__dataclass_params__ = _Example.__dataclass_params__
        cls.__match_args__ = tuple(each.name for each in fields(cls) if each.init)

    def _first_init(cls: type) -> Callable[..., None]:
        """The constructor until it is called: most classes of a run have no instance."""

        def __init__(self: object, *args: object, **kwargs: object) -> None:  # noqa: N807
            cls.__init__ = _init(cls)
            cls.__init__(self, *args, **kwargs)

        return __init__

    def _init(cls: type) -> Callable[..., None]:
        """The constructor: parameters as the fields stand, a default where one has it."""
        names = {"_set": object.__setattr__, "_absent": ABSENT}
        parameters, lines = ["self"], []
        for each in fields(cls):
            value = each.name
            if each.default_factory is not MISSING:
                names["_make_" + each.name] = each.default_factory
                value = "_make_{0}() if {0} is _absent else {0}".format(each.name)
                parameter = "%s=_absent" % each.name
            elif each.default is not MISSING:
                names["_default_" + each.name] = each.default
                parameter = "{0}=_default_{0}".format(each.name)
            else:
                parameter = each.name
            if each.init:
                parameters.append(parameter)
                lines.append("    _set(self, %r, %s)" % (each.name, value))
        if hasattr(cls, "__post_init__"):
            lines.append("    self.__post_init__()")
        exec(  # noqa: S102 - names of fields, as the standard library does it
            "def __init__(%s):\n%s" % (", ".join(parameters), "\n".join(lines) or "    pass"), names
        )
        method = names["__init__"]
        method.__qualname__ = "%s.__init__" % cls.__qualname__
        return method

    def _comparing(cls: type) -> object:
        compared = [each.name for each in fields(cls) if each.compare]
        values = attrgetter(*compared) if compared else lambda _: ()

        def __eq__(self: object, other: object) -> object:  # noqa: N807
            if other.__class__ is not self.__class__:
                return NotImplemented
            return (values(self),) == (values(other),)

        def __hash__(self: object) -> int:  # noqa: N807
            return hash((values(self),))

        return ("__eq__", __eq__), ("__hash__", __hash__)

    def _repr(cls: type) -> Callable[[object], str]:
        shown = [each.name for each in fields(cls) if each.repr]

        def __repr__(self: object) -> str:  # noqa: N807
            values = ", ".join("%s=%r" % (name, getattr(self, name)) for name in shown)
            return "%s(%s)" % (self.__class__.__qualname__, values)

        return __repr__

    def _refuse_to_set(_: object, name: str, _value: object) -> None:
        raise FrozenInstanceError("cannot assign to field %r" % name)

    def _refuse_to_delete(_: object, name: str) -> None:
        raise FrozenInstanceError("cannot delete field %r" % name)
