"""Environment classes of the user's that have no base class of a framework: they are recognised by
their names and methods where they are defined.
"""

from __future__ import annotations

import builtins

from envdoctor.model.environment_names import TRANSITION, names_around, names_environment
from envdoctor.probe.live.builtins_replaced import FILE

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    from types import CodeType, FunctionType
    from typing import Callable, Iterator, List, Optional

    from envdoctor.probe.live.boot import Hook
    from envdoctor.probe.ownership import Ownership

INSTANCES = "envdoctor.probe.live.own_instances"
OWNERSHIP = "envdoctor.probe.ownership"  # is loaded where a class may be an environment
NAMED, SHAPED = 1, 2  # how an environment is recognised: by its name too, or by its methods alone
VECTORIZERS = ("vectorenv", "envs")  # ends of names, in any case
#: Arguments of constructors that are environments, what makes them, or how many there are.
HOSTED = frozenset(
    (
        *("env", "env_fn", "env_factory", "make_env", "environment"),
        *("envs", "env_fns", "env_factories", "make_envs", "environments"),
        *("num_env", "num_envs", "n_envs", "nenv", "nenvs", "nb_envs"),
    )
)
METACLASSES = ("type", "ABCMeta")
LIBRARIES = ("abc", "builtins", "typing")  # whose classes have nothing of an environment
MORE_ARGUMENTS = 0x04  # a flag of code: *args
LATER = 0x20 | 0x80 | 0x200  # flags of code: a generator, a coroutine, an asynchronous generator
#: A class body's frame has another one above it. Packages that look for the names of a function in
#: which a class is defined take one of this name for the top of a file.
TOP = "<module>"
NAME = "__build_class__"
FUNCTION = type(lambda: None)


def follow(hook: Hook) -> None:
    """Have each class statement noticed, from now on."""
    original = builtins.__build_class__
    builtins.__build_class__ = _noticing(original, hook)


def _noticing(original: Callable[..., type], hook: Hook) -> Callable[..., type]:
    def build(*args: object, **kwargs: object) -> type:
        try:
            cls = original(*args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            raise
        _defined(hook, cls)
        return cls

    build.__code__ = build.__code__.replace(co_filename=FILE, co_name=TOP)
    build.__name__, build.__qualname__, build.__doc__ = original.__name__, NAME, original.__doc__
    return build


def _defined(hook: Hook, cls: type) -> None:
    """A class was defined. Nothing of ours reaches the user."""
    try:
        rank = rank_of(cls)
        if rank and _are_users(cls, hook.load(OWNERSHIP).Ownership()):
            hook.load(INSTANCES).follow(hook, cls, rank)
    except Exception as error:
        hook.complain(type(error).__name__)


def rank_of(cls: type) -> int:
    """Return how a class is known to be one of environments, `NAMED` or `SHAPED`; 0 where it is
    not. It is made in the usual way, and has a reset() and a step() that takes an action; one whose
    tools are its actions has no step(), and is known by its name alone.
    """
    name, lineage = cls.__name__, _lineage(cls)
    is_usual = type(cls).__name__ in METACLASSES and not any(map(_delegates, lineage))
    constructor = _method(lineage, "__init__")
    if not is_usual or constructor is None or _hosts(name, constructor.__code__):
        return 0
    reset, step = (_method(lineage, name) for name in ("reset", "step"))
    takes_action = step is not None and _takes_action(step.__code__)
    if reset is None or not (takes_action or not _has(lineage, "step")):
        return 0
    if names_environment(name):
        return NAMED
    return SHAPED if step is not None and _returns_transition(step.__code__) else 0


def _hosts(name: str, constructor: CodeType) -> bool:
    """Return whether a class takes environments, or what makes them, by its name or by those of its
    constructor's arguments.
    """
    arguments = constructor.co_varnames[: constructor.co_argcount + constructor.co_kwonlyargcount]
    is_vectorizer = name.lower().endswith(VECTORIZERS)
    return names_around(name) or is_vectorizer or not HOSTED.isdisjoint(arguments)


def _has(lineage: List[type], name: str) -> bool:
    return any(name in vars(each) for each in lineage)


def _lineage(cls: type) -> List[type]:
    return [each for each in type.mro(cls) if each.__module__ not in LIBRARIES]


def _delegates(cls: type) -> bool:
    """Return whether a class makes its instances by itself, or has attributes of others."""
    return "__new__" in vars(cls) or "__getattr__" in vars(cls)


def _method(lineage: List[type], name: str) -> Optional[FunctionType]:
    """The method that a class has by a name, where it is a plain function."""
    method = next((vars(each)[name] for each in lineage if name in vars(each)), None)
    is_plain = isinstance(method, FUNCTION) and not method.__code__.co_flags & LATER
    return method if is_plain else None


def _takes_action(step: CodeType) -> bool:
    return step.co_argcount > 1 or bool(step.co_flags & MORE_ARGUMENTS)


def _returns_transition(step: CodeType) -> bool:
    """Return whether a return statement has three to five values: an observation, a reward, one or
    two ends, and an info.
    """
    from opcode import opname as names  # few classes come so far

    instructions = zip(step.co_code[::2], step.co_code[1::2])
    before, values = "", 0
    for operation, argument in instructions:
        if names[operation] == "RETURN_VALUE" and before == "BUILD_TUPLE" and values in TRANSITION:
            return True
        before, values = names[operation], argument
    return False


def _are_users(cls: type, ownership: Ownership) -> bool:
    """Return whether all functions of a class and its bases are in files of the user's."""
    return all(ownership.is_users(file) for each in _lineage(cls) for file in _files(each))


def _files(cls: type) -> Iterator[str]:
    values = list(vars(cls).values())
    return (each.__code__.co_filename for each in values if isinstance(each, FUNCTION))
