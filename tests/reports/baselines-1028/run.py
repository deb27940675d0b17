"""PPO on a registered environment whose spec has a function among its arguments."""

import sys

import gymnasium
import numpy as np
from hopper import Hopper
from subproc_vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv


def make_env():
    gymnasium.register(
        "Hopper-v9",
        entry_point=Hopper,
        kwargs={"reward_fn": lambda height, speed: height - 0.1 * speed * speed},
        disable_env_checker=True,
    )
    return gymnasium.make("Hopper-v9")


def main():
    env = SubprocVecEnv([make_env] * 2, wraps=FIXED)
    generator, mean, total = np.random.default_rng(1), 0.0, 0.0
    env.reset(seed=1)
    for _ in range(300):
        actions = np.clip(generator.normal(mean, 0.5, (2, 1)), -1.0, 1.0).astype(np.float32)
        _obs, rewards, _dones, _infos = env.step(actions)
        mean += 0.001 * float(((rewards - rewards.mean()) * actions[:, 0]).sum())
        total += float(rewards.sum())
    print(f"{env.spec.id}: {total:.1f}, mean action {mean:.3f}")
    env.close()


if __name__ == "__main__":
    main()
