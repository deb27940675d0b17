"""PPO of RLlib on CartPole: in_rllib.py algorithm|tune FOLDER. Prints what the environments counted
themselves after each iteration, and the result.
"""

import json
import sys

import ray
from gymnasium.envs.classic_control import CartPoleEnv
from ray import tune
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from tally import counting
from totals import totals

import envdoctor
from envdoctor.callbacks.rllib import FiguresInResult, FiguresInTrial

ITERATIONS = 3


def make(_config):
    return counting(CartPoleEnv)()


def show(result):
    figures = {name: number for name, number in result.items() if name.startswith("envdoctor/")}
    timesteps = result["env_runners"]["num_env_steps_sampled_lifetime"]
    print(json.dumps({"timesteps": timesteps, **totals(), "figures": figures}))


class Exact(FiguresInResult):
    every = 0.0


class Own(tune.Callback):
    def on_trial_result(self, *, result, **others):
        show(result)


def build():
    tune.register_env("counting", make)
    config = PPOConfig().environment("counting")
    config.env_runners(num_env_runners=1, num_envs_per_env_runner=2)
    return config.training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)


def train():
    algorithm = build().callbacks(Exact).build_algo()
    for _ in range(ITERATIONS):
        show(algorithm.train())
    algorithm.stop()


def fit(folder):
    settings = tune.RunConfig(
        storage_path=folder,
        stop={"training_iteration": ITERATIONS},
        callbacks=[FiguresInTrial(every=0), Own()],
        verbose=0,
    )
    tune.Tuner(PPO, param_space=build(), run_config=settings).fit()


if __name__ == "__main__":
    with envdoctor.watching():
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        train() if sys.argv[1] == "algorithm" else fit(sys.argv[2])
        ray.shutdown()
