"""Two runners of RLlib in actors, without a learner."""

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.env_runner_group import EnvRunnerGroup


def main():
    ray.init(num_cpus=2)
    settings = PPOConfig().environment("CartPole-v1").env_runners(num_env_runners=2)
    runners = EnvRunnerGroup(config=settings)
    runners.foreach_env_runner(
        lambda runner: len(runner.sample(num_timesteps=500)), local_env_runner=False
    )
    runners.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
