# jsbgym: DET001: a used instance does not begin as it began with the same seed
import gymnasium
import jsbgym  # noqa: F401

NAME = "C172-HeadingControlTask-Shaping.STANDARD-NoFG-v0"
env = gymnasium.make(NAME, disable_env_checker=True)
firsts = []
for _ in range(3):
    firsts.append(env.reset(seed=0)[0])
    for _ in range(20):
        env.step(env.action_space.sample())
fresh = gymnasium.make(NAME, disable_env_checker=True).reset(seed=0)[0]
print(f"[1] is {firsts[0][1]!r}, {firsts[1][1]!r}, {firsts[2][1]!r}; fresh {fresh[1]!r}")
assert (fresh == firsts[0]).all() and (firsts[0] != firsts[1]).any()
