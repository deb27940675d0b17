# pybullet: DET002: a used instance does not repeat what it did with the same seed; fresh ones do
import warnings

warnings.simplefilter("ignore")
import gym  # noqa: E402
import pybullet_envs  # noqa: E402, F401


def rewards(env):
    env.seed(0)
    env.reset()
    env.action_space.seed(0)
    return [float(env.step(env.action_space.sample())[1]) for _ in range(10)]


used, other = gym.make("HopperBulletEnv-v0"), gym.make("HopperBulletEnv-v0")
first, fresh, again = rewards(used), rewards(other), rewards(used)
print(f"first reward {first[0]:.6f}, of a fresh one {fresh[0]:.6f}, of the used one {again[0]:.6f}")
assert first == fresh and first != again
