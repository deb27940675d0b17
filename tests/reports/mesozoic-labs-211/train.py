"""Four walkers in processes, with one seed for the whole training."""

from raptor import Raptor
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import SubprocVecEnv, VecNormalize


def make_env(rank, seed):
    def _init():
        env = Monitor(Raptor())
        env.reset(seed=seed + rank)
        return env

    set_random_seed(seed)
    return _init


def main(make=make_env, seed=42):
    envs = VecNormalize(SubprocVecEnv([make(rank, seed) for rank in range(4)]))
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=2, seed=seed, device="cpu")
    model.learn(2000)
    print("mean of the observations", envs.obs_rms.mean)
    envs.close()


if __name__ == "__main__":
    main()
