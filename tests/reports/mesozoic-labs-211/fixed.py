"""The same, where each worker seeds its generators before its walker is made."""

from raptor import Raptor
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import set_random_seed
from train import main


def make_env(rank, seed):
    def _init():
        set_random_seed(seed + rank)
        env = Monitor(Raptor())
        env.reset(seed=seed + rank)
        return env

    return _init


if __name__ == "__main__":
    main(make_env)
