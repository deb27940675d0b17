"""The owner of the reference cycle that keeps a closed instance."""

from __future__ import annotations

import gc
import weakref

import pytest

from envdoctor.probe.growth.own_cycle import own_cycle
from envdoctor.probe.wrappers import references_to_wrappers


class Env:
    def __init__(self):
        self.peer = None

    @property
    def unwrapped(self):
        return self


class Wrapper:
    def __init__(self, env):
        self.env = env

    @property
    def unwrapped(self):
        return self.env.unwrapped


class Hooked(Wrapper):
    """Keeps a method of its own."""

    def __init__(self, env):
        super().__init__(env)
        self.hook = self.note

    def note(self):
        pass


class Registers(Wrapper):
    """Puts itself into the environment."""

    def __init__(self, env):
        super().__init__(env)
        self.unwrapped.peer = self


class Recorder:
    def __init__(self, env):
        self.env = env
        self.me = self


def leads_back_itself():
    env = Env()
    env.peer = [env]
    return Wrapper(env)


def recorded():
    env = Env()
    Recorder(env)
    return env


def put_there_by_a_function():
    env = Env()
    env.peer = Wrapper(Wrapper(env))
    return env.peer


@pytest.fixture
def no_collections():
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    gc.collect()


@pytest.mark.parametrize(
    ("make", "kind", "chain"),
    [
        (leads_back_itself, Env, "Env.peer[0]"),
        (lambda: Wrapper(Hooked(Env())), Hooked, "Hooked.hook.__self__"),
        (lambda: Hooked(Hooked(Env())), Hooked, "Hooked.hook.__self__"),
        (lambda: Wrapper(Registers(Env())), Registers, "Registers.env.peer"),
        (recorded, Recorder, "Recorder.me"),
        (put_there_by_a_function, Env, "Env.peer.env.env"),
    ],
)
def test_cycle_is_that_of_the_object_that_leads_back_to_itself(no_collections, make, kind, chain):
    environment = make()
    reference = weakref.ref(environment.unwrapped)
    around = references_to_wrappers(environment)
    del environment
    cycle = own_cycle(reference, around)
    assert cycle == (kind, f"{__name__}.{chain}")


def test_instance_that_is_gone_is_in_no_cycle(no_collections):
    assert own_cycle(weakref.ref(Env()), []) is None


def test_instance_that_something_holds_is_in_no_cycle(no_collections):
    env = Env()
    assert own_cycle(weakref.ref(env), []) is None
