# gym-electric-motor: DET002: the episode after a seeded one is not the same in two instances
import warnings

import gym_electric_motor  # noqa: F401
import gymnasium

warnings.simplefilter("ignore")
results = []
for _ in range(4):
    env = gymnasium.make("Finite-SC-PermExDc-v0")
    env.reset(seed=0)
    for _ in range(100):
        if any(env.step(1)[2:4]):
            break
    results.append(str(env.reset()[0]))
print(f"{len(set(results))} different second episodes of four instances with seed 0")
assert len(set(results)) > 1
