# simglucose: LEK001: each instance that was closed and dropped leaves objects
import gc
import sys

import simglucose.envs


def blocks(times):
    for _ in range(times):
        env = simglucose.envs.T1DSimGymnaisumEnv(patient_name="adolescent#002")
        env.reset(seed=0)
        env.close()
        del env
        gc.collect()
    return sys.getallocatedblocks()


blocks(30)
rounds = [blocks(20) for _ in range(4)]
each = [(after - before) / 20 for before, after in zip(rounds, rounds[1:])]
print(f"allocated blocks that each instance leaves, three times twenty: {each}")
assert min(each) >= 1
