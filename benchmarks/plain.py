"""What `envdoctor check` plays, played without a doctor: no probe, no reading, no journal.
`speed.py` compares the two.

    plain.py ID SCENARIOS

SCENARIOS is the `scenarios` list of a JSON report, so that this plays what was played, verb for
verb. It imports nothing of envdoctor. What is only observation is nothing here: `survey` is this
file's import of Gymnasium, `drop` lets go.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import pickle
import sys
from contextlib import suppress

import gymnasium
from gymnasium.utils import env_checker, passive_env_checker
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

SEED = 0
OBSERVATIONS = ("survey", "watch", "calibrate", "leave")
HURRIED = 10_000  # frames a second
LONGEST = 2000  # steps of an episode
EPISODE = 20  # steps of an instance under a manager that are asked again without one
CHECKER_PARTS = (
    "check_seed_deprecation",
    "check_reset_return_info_deprecation",
    "check_reset_return_type",
    "check_reset_seed_determinism",
    "check_reset_seed",
    "check_reset_options",
    "check_step_determinism",
    "check_returned_data_not_reused",
)


class Direct:
    """One environment, as a training loop drives it."""

    def __init__(self, make):
        self.env = make()
        if self.env.render_mode is not None:  # no frame sleeps here either
            self.env.unwrapped.metadata = {**self.env.metadata, "render_fps": HURRIED}

    def reset(self, seed=None):
        self.env.reset(seed=seed)
        self.ended = False

    def step(self):
        if self.ended:
            self.reset()
        _, _, terminated, truncated, _ = self.env.step(self.env.action_space.sample())
        self.ended = terminated or truncated

    def episode(self, most):
        for _ in range(most):
            self.step()
            if self.ended:
                break

    def render(self):
        if self.env.render_mode is not None:
            self.env.render()

    def close(self):
        self.env.close()

    def carry(self):
        """What an instance returns, there and back."""
        answers = [self.env.observation_space, self.env.action_space, self.env.reset()]
        for _ in range(EPISODE):
            answers.append(self.env.step(self.env.action_space.sample()))
            if answers[-1][2]:
                break
        for answer in answers:
            pickle.loads(pickle.dumps(answer))
        self.reset()

    def copy(self):
        twin = copy.deepcopy(self.env)
        for _ in range(3):
            twin.step(twin.action_space.sample())


class Vector:
    """One of Gymnasium's vector environments."""

    def __init__(self, vector):
        self.vector = vector

    def reset(self, seed=None):
        self.vector.reset(seed=seed)

    def step(self):
        return self.vector.step(self.vector.action_space.sample())

    mirror = step

    def episode(self, most):
        ended = False
        for _ in range(most):
            _, _, terminated, truncated, _ = self.step()
            ended = ended | terminated | truncated
            if ended.all():
                break

    def close(self):
        self.vector.close()


class VecEnv:
    """One of Stable-Baselines3's."""

    def __init__(self, vector):
        self.vector = vector

    def reset(self, seed=None):
        if seed is not None:
            self.vector.seed(seed)
        self.vector.reset()

    def step(self):
        actions = [self.vector.action_space.sample() for _ in range(self.vector.num_envs)]
        return self.vector.step(actions)

    mirror = step

    def episode(self, most):
        ended = False
        for _ in range(most):
            _, _, done, _ = self.step()
            ended = ended | done
            if ended.all():
                break

    def close(self):
        self.vector.close()


def launch_sb3(make, scenario):
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    if scenario["options"].get("make_vec_env"):
        return VecEnv(make_vec_env(make, n_envs=scenario["workers"]))
    factories = [make] * scenario["workers"]
    if scenario["manager"] == "sb3-dummy":
        return VecEnv(DummyVecEnv(factories))
    return VecEnv(SubprocVecEnv(factories, start_method=scenario["start_method"]))


def launch(make, scenario):
    if scenario["manager"] == "direct":
        return Direct(functools.partial(make, **scenario["options"]))
    if scenario["manager"].startswith("sb3"):
        return launch_sb3(make, scenario)
    factories = [make] * scenario["workers"]
    if scenario["manager"] == "gymnasium-sync":
        return Vector(SyncVectorEnv(factories))
    return Vector(AsyncVectorEnv(factories, context=scenario["start_method"]))


def play(make, scenario):
    hosts, seeded, opened = [], set(), None
    for word in scenario["script"].split():
        verb, _, which = word.partition("@")
        verb, _, argument = verb.partition(":")
        if verb == "make":
            hosts.append(launch(make, scenario))
        elif verb == "drop" and which:
            hosts[int(which)] = None
        elif verb == "drop":
            hosts.clear()
            seeded.clear()
        elif verb in ("open", "shut"):
            opened = launch(make, scenario) if verb == "open" else opened.close()
        elif verb in CYCLES:
            cycle(make, *map(int, argument.split("x")), opened=opened)
        elif verb in ALONE:
            ALONE[verb](make, argument)
        elif verb not in OBSERVATIONS:
            index = int(which or len(hosts) - 1)
            if verb in ("reset", "reseed"):
                hosts[index].reset(None if index in seeded and verb == "reset" else SEED)
                seeded.add(index)
            else:
                ask(hosts[index], verb, int(argument or 1))


def ask(host, verb, number):
    """One verb, so many times; an episode has at most so many steps."""
    with suppress(Exception):  # one window closes the other
        if verb == "episode":
            host.episode(number)
            return
        for _ in range(number):
            getattr(host, verb)()


def cycle(make, times, resets=1, steps=20, renders=0, opened=None):
    """Whole lives, as they are played where growth is looked for, or those of one instance."""
    for _ in range(times):
        host = opened or Direct(make)
        for index in range(resets):
            host.reset(None if index else SEED)
            for verb, count in (("step", steps), ("render", renders)):
                for _ in range(count):
                    getattr(host, verb)()
        if opened is None:
            host.close()


def check(make, _argument):
    env = make()
    base = env.unwrapped
    passive_env_checker.check_action_space(env.action_space)
    passive_env_checker.check_observation_space(env.observation_space)
    for name in CHECKER_PARTS:
        part = getattr(env_checker, name, None)
        if part is not None:
            part(base)
    passive_env_checker.env_reset_passive_checker(base)
    base.reset(seed=SEED)
    passive_env_checker.env_step_passive_checker(base, base.action_space.sample())
    env.close()


def pickle_factory(make, _argument):
    pickle.dumps(make)
    with suppress(ImportError):
        import cloudpickle

        cloudpickle.dumps(make)


def draw_blind(_make, _argument):
    os.environ["SDL_VIDEODRIVER"] = "dummy"


def replay(make, of):
    """Two instances, asked what those of a manager were asked."""
    if of != "episode":
        cycle(make, 2, 1, EPISODE)
        return
    for _ in range(2):
        host = Direct(make)
        host.reset(SEED)
        host.episode(LONGEST)
        host.close()


CYCLES = ("warm", "block")
ALONE = {
    "check": check,
    "pickle": pickle_factory,
    "windowless": draw_blind,
    "replay": replay,
}


def main():
    make = functools.partial(gymnasium.make, sys.argv[1])
    for scenario in json.loads(sys.argv[2]):
        play(make, scenario)


if __name__ == "__main__":  # workers that are spawned import this file
    main()
