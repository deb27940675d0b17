# gym-sokoban: DET001 SFX004: rooms are drawn from the generators of the process, whatever the seed
import random
import warnings

warnings.simplefilter("ignore")
import gym  # noqa: E402
import gym_sokoban  # noqa: E402, F401
import numpy  # noqa: E402


def first(fixed):
    env = gym.make("Sokoban-small-v0")
    env.seed(0)
    if fixed:
        random.seed(1)
        numpy.random.seed(1)
    return env.reset().tobytes()


free, fixed = {first(False) for _ in range(4)}, {first(True) for _ in range(4)}
print(
    f"seed(0): {len(free)} different rooms of 4; with random and numpy seeded before: {len(fixed)}"
)
assert len(free) > 1 and len(fixed) == 1
