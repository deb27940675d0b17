"""CartPole in two workers of PufferLib, without a policy."""

import gymnasium
import pufferlib.emulation
import pufferlib.vector


def make(buf=None, seed=0):
    env = gymnasium.make("CartPole-v1")
    return pufferlib.emulation.GymnasiumPufferEnv(env=env, buf=buf, seed=seed)


def main():
    envs = pufferlib.vector.make(
        make, num_envs=2, num_workers=2, backend=pufferlib.vector.Multiprocessing
    )
    envs.reset()
    for _ in range(1000):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
