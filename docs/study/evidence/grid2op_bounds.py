# grid2op: API001: bounds of the observation space are equal
import grid2op
import gymnasium
from grid2op.gym_compat import GymEnv

env = GymEnv(grid2op.make("rte_case5_example", test=True))
equal = [name for name, space in env.observation_space.items() if isinstance(space, gymnasium.spaces.Box) and (space.low == space.high).any()]
print(f"parts with equal bounds: {len(equal)}, {equal[:4]}")
assert equal
