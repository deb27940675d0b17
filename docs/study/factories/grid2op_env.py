"""Grid2op's test grid of five substations in the API of Gymnasium."""

import grid2op
from grid2op.gym_compat import GymEnv


def make():
    return GymEnv(grid2op.make("rte_case5_example", test=True))
