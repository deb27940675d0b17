"""A training that is killed in the middle, by the kernel for its memory or by its user."""

import os
import signal
import sys

from env import Compiler, Cured

env = (Cured if "fixed" in sys.argv else Compiler)()
env.reset()
for _ in range(15):
    env.step(env.action_space.sample())
os.kill(os.getpid(), signal.SIGKILL)
