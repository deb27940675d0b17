"""Is not what it seems: each makes a class of a healthy one."""

from __future__ import annotations

import gymnasium
import numpy as np

LARGE = 2 << 30  # bytes


class Raiser:  # noqa: PLW1641
    """An object of which nothing can be asked."""

    def __eq__(self, other):
        raise RuntimeError("incomparable")

    __ne__ = __lt__ = __bool__ = __len__ = __iter__ = __hash__ = __repr__ = __array__ = (
        __reduce_ex__
    ) = __deepcopy__ = __eq__


def observing(make):
    """A class whose observation is what `make` returns."""

    def change(kind):
        class Hostile(kind):
            def observe(self):
                return make()

        return Hostile

    return change


def informing(make):
    def change(kind):
        class Hostile(kind):
            def reset(self, **options):
                return super().reset(**options)[0], make()

            def step(self, action):
                return (*super().step(action)[:4], make())

        return Hostile

    return change


def returning(call, make):
    def change(kind):
        return type("Hostile", (kind,), {call: lambda self, *arguments, **options: make()})

    return change


def attribute(name, make):
    """A class with a property. What the constructor sets is forgotten."""

    def change(kind):
        return type(
            "Hostile", (kind,), {name: property(lambda self: make(), lambda self, value: None)}
        )

    return change


def fail(*arguments, **keywords):
    raise RuntimeError("nobody may ask me that")


def leave(*arguments, **keywords):
    raise SystemExit(7)


def itself():
    info = {"deep": []}
    info["self"] = info
    info["deep"].append(info["deep"])
    return info


def nested():
    info = {}
    for _ in range(20_000):
        info = {"deeper": info}
    return info


class Endless(dict):
    """Its items have no end."""

    def items(self):
        while True:
            yield "again", 0

    def __iter__(self):
        while True:
            yield "again"

    def __len__(self):
        return 1 << 40


class Anything:
    """Answers whatever it is asked with itself."""

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **keywords):
        return self


def random_space():
    return gymnasium.spaces.Box(
        -1.0, 1.0, (int(np.random.default_rng().integers(1, 9)),), np.float32
    )


def bad_sample():
    space = gymnasium.spaces.Discrete(2)
    space.sample = fail
    return space


large_observation = observing(lambda: np.zeros(LARGE // 4, np.float32))
nan_observation = observing(lambda: np.full(3, np.nan, np.float32))
raising_observation = observing(Raiser)
ragged_observation = observing(lambda: [[1.0], [1.0, 2.0]])
object_observation = observing(lambda: np.array([Raiser(), None, {}], object))
endless_info = informing(Endless)
info_of_itself = informing(itself)
nested_info = informing(nested)
raising_info = informing(lambda: {"a": Raiser(), "\x1b[31m": "\ud800", 3: None})
info_is_none = informing(lambda: None)
reset_returns_nothing = returning("reset", lambda: None)
reset_returns_five = returning("reset", lambda: (1, 2, 3, 4, 5))
step_returns_nothing = returning("step", lambda: None)
step_returns_three = returning("step", lambda: (np.zeros(3, np.float32), 0.0, True))
step_returns_texts = returning(
    "step", lambda: (np.zeros(3, np.float32), "much", "yes", "no", "\x1b[31m")
)
spaces_that_change = attribute("observation_space", random_space)
actions_that_change = attribute(
    "action_space", lambda: gymnasium.spaces.Discrete(int(np.random.default_rng().integers(1, 9)))
)
spaces_that_raise = attribute("observation_space", fail)
spaces_that_exit = attribute("action_space", leave)
no_spaces = attribute("action_space", lambda: None)
space_without_samples = attribute("action_space", bad_sample)
space_of_anything = attribute("observation_space", Anything)
unwrapped_raises = attribute("unwrapped", fail)
unwrapped_is_nothing = attribute("unwrapped", lambda: None)
unwrapped_is_anything = attribute("unwrapped", Anything)
spec_raises = attribute("spec", fail)
metadata_raises = attribute("metadata", fail)
metadata_is_anything = attribute("metadata", Anything)
render_mode_raises = attribute("render_mode", fail)
nan_seed = attribute("np_random_seed", lambda: float("nan"))
close_is_no_method = attribute("close", lambda: 5)
truth_raises = returning("__bool__", fail)
repr_raises = returning("__repr__", fail)
hash_raises = returning("__hash__", fail)
length_is_negative = returning("__len__", lambda: -1)
copies_raise = returning("__deepcopy__", fail)
reduce_exits = returning("__reduce_ex__", leave)


def class_lies(kind):
    """It says that it is a number."""
    return type("Hostile", (kind,), {"__class__": property(lambda self: int)})


def class_raises(kind):
    return type("Hostile", (kind,), {"__class__": property(fail)})


def equality_raises(kind):
    return type("Hostile", (kind,), {"__eq__": fail, "__hash__": object.__hash__})


def answers_everything(kind):
    return type("Hostile", (kind,), {"__getattr__": lambda self, name: Anything()})


def refuses_unknown_names(kind):
    """With another error than the one that says so."""
    return type("Hostile", (kind,), {"__getattr__": fail})


def no_weak_references(kind):
    class Hostile:
        __slots__ = ("inner",)
        metadata = kind.metadata

        def __init__(self, render_mode=None):
            self.inner = kind(render_mode)

        def __getattr__(self, name):
            if name == "inner":
                raise AttributeError(name)
            return getattr(self.inner, name)

    return Hostile


def becomes_another(kind):
    """__new__ returns what is no instance of it."""
    return type("Hostile", (kind,), {"__new__": lambda cls, *arguments, **keywords: 42})


def metaclass_lies(kind):
    class Meta(type(kind)):
        def __instancecheck__(cls, instance):
            raise RuntimeError("who asks?")

        __subclasscheck__ = __instancecheck__

        def __getattribute__(cls, name):
            if name in ("__module__", "__qualname__", "__name__"):
                raise RuntimeError("I have no name")
            return super().__getattribute__(name)

    return Meta("Hostile", (kind,), {})


def resurrected(kind):
    """Whoever collects it finds it again."""
    graves = []

    class Hostile(kind):
        def __del__(self):
            graves.append(self)

    return Hostile


def one_for_all(kind):
    """The constructor returns the same instance again and again, closed or not."""
    only = []

    def make(render_mode=None):
        if not only:
            only.append(kind(render_mode))
        return only[0]

    return make
