# panda-gym: DET002: a used instance does not repeat what it did with the same seed; fresh ones do
import gymnasium
import numpy
import panda_gym  # noqa: F401


def episode(env):
    env.reset(seed=0)
    env.action_space.seed(0)
    return numpy.array([env.step(env.action_space.sample())[0]["achieved_goal"] for _ in range(10)])


def something_else(env):
    env.reset()
    for _ in range(30):
        env.step(env.action_space.sample())


used, other = (gymnasium.make("PandaPush-v3", disable_env_checker=True) for _ in range(2))
first, fresh = episode(used), episode(other)
something_else(used)
again = episode(used)
print(
    f"fresh ones differ by {abs(first - fresh).max()}, the used one by {abs(first - again).max()}"
)
assert (first == fresh).all() and (first != again).any()
