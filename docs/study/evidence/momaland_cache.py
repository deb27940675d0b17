# momaland: LEK001 CLS012: a cache of the class keeps each instance
import gc
import sys

from momaland.envs.beach.beach import MOBeachDomain, parallel_env


def cycle():
    env = parallel_env()
    env.reset(seed=0)
    env.action_space(env.possible_agents[0])
    env.close()


def kept(cycles):
    for _ in range(cycles):
        cycle()
    gc.collect()
    return sys.getallocatedblocks(), sum(
        isinstance(each, MOBeachDomain) for each in gc.get_objects()
    )


kept(5)
(first, before), (last, after) = kept(1), kept(20)
print(
    f"instances alive: {before}, and after 20 more {after}; {(last - first) / 20:.0f} blocks each"
)
print(f"cache: {MOBeachDomain.action_space.cache_info()}")
assert after - before == 20 and last - first > 20 * 100
