"""The script of the report, in which the environment is never closed."""

from env import Doom

env = Doom()
env.reset(seed=0)
over = False
while not over:
    _, _, _, over, _ = env.step(env.action_space.sample())
