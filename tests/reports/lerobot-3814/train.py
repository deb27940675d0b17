"""One environment is evaluated again and again, and closed after each evaluation."""

import sys

from env import Cured, Libero

env = (Cured if "fixed" in sys.argv else Libero)()
for evaluation in range(3):
    for episode in range(4):
        env.reset(seed=episode)
        over = False
        while not over:
            _, _, _, over, _ = env.step(env.action_space.sample())
    env.close()
