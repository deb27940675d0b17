# gym-electric-motor: LEK001 LEK003: each instance of Cont-CC-PMSM-v0 that was closed and dropped leaves objects
import gc
import sys
import warnings

import gym_electric_motor  # noqa: F401
import gymnasium

warnings.simplefilter("ignore")


def live():
    env = gymnasium.make("Cont-CC-PMSM-v0")
    env.reset()
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()


def blocks(times):
    for _ in range(times):
        live()
    gc.collect()
    return sys.getallocatedblocks()


blocks(20)
rounds = [blocks(10) for _ in range(4)]
each = [(after - before) / 10 for before, after in zip(rounds, rounds[1:])]
print(f"allocated blocks that each instance leaves, three times ten: {each}")
assert min(each) > 50
