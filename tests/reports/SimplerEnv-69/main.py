"""The script of the report: an environment that is made, played and never closed."""

from env import Grasp

env = Grasp()
env.reset(seed=0)
over = False
while not over:
    _, _, _, over, _ = env.step(env.action_space.sample())
