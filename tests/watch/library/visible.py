"""Prints what a script can see of itself: the same, watched or not."""

import copy
import ctypes  # as numpy does, which each framework imports: libffi 3.5 keeps a descriptor for it
import inspect
import os
import pickle
import random
import sys
import threading
import traceback
import warnings

import arms
import gymnasium


class Mine(arms.Arm):
    def step(self, action):
        warnings.warn("from the caller's line", stacklevel=2)
        return super().step(action)


def main():
    env = Mine(5)
    print(env.__dict__, inspect.signature(Mine), inspect.signature(env.reset), env.step.__doc__)
    print(inspect.getfullargspec(env.step), inspect.getfullargspec(Mine.reset))
    print(env.step.__code__.co_argcount, env.reset.__defaults__, env.reset.__kwdefaults__)
    print(env.step.__name__, env.step.__qualname__, Mine.step.__module__)
    env.reset(seed=1)
    env.step(0)
    try:
        env.step(7)
    except RuntimeError:
        if sys.version_info >= (3, 11):  # before, it shows the frame of each call
            traceback.print_exc()
    for wrong in ({"broken": True}, {"colour": 1}):
        try:
            Mine(**wrong)
        except (ValueError, TypeError) as error:
            print(repr(error))
    other = copy.deepcopy(env)
    print(other.__dict__, pickle.loads(pickle.dumps(arms.Arm(2))).size)
    Mine.step(env, 0)
    env.close()
    other.close()
    print([name for name in sys.modules if "envdoctor" in name])
    print([path for path in sys.path if "envdoctor-" in path])
    assert ctypes
    low = [
        name for name in os.listdir("/proc/self/fd") if int(name) < 100
    ]  # stacks have a high one
    print(len(low), threading.active_count(), random.random() < 2)
    print(gymnasium.Env.__subclasses__()[0].__name__, "_envdoctor" in repr(vars(env)))


if __name__ == "__main__":
    main()
