# griddly: API011: step() writes into the observation that reset() returned
from griddly import GymWrapper

env = GymWrapper("Single-Player/GVGAI/sokoban.yaml", level=0)
first = env.reset()
copy = first.copy()
changed = 0
for _ in range(200):
    env.step(env.action_space.sample())
    changed = max(changed, int((first != copy).sum()))
print(f"values of the first observation that are others now: {changed} of {first.size}")
assert changed > 0
