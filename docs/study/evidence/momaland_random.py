# momaland: MAK005 SFX004: instances draw from Python's random, which each reset(seed) of one reseeds
import random

from momaland.envs.beach.beach import parallel_env


def second(disturbed):
    env, other = parallel_env(), parallel_env()
    env.reset(seed=0)
    if disturbed:
        other.reset(seed=5)
    return {name: value.tolist() for name, value in env.reset()[0].items()}


state = random.getstate()
parallel_env()
drawn = random.getstate() != state
alone, again, beside = second(False), second(False), second(True)
differ = sum(alone[name] != beside[name] for name in alone)
print(
    f"the constructor changes random's state: {drawn}; {differ} of {len(alone)} observations differ"
)
assert drawn and alone == again and differ
