"""Healthy: the policy is evaluated in the only environment, in the middle of an episode."""

import sys

from stable_baselines3 import A2C
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.evaluation import evaluate_policy

PLAIN = "plain" in sys.argv


class Evaluate(BaseCallback):
    def _on_step(self):
        return True

    def _on_rollout_end(self):
        if self.num_timesteps % 250 == 0 and not PLAIN:
            evaluate_policy(self.model, self.training_env, n_eval_episodes=2, warn=False)
            self.model._last_obs = self.training_env.reset()


def main():
    model = A2C("MlpPolicy", "CartPole-v1", n_steps=25, seed=1, device="cpu")
    model.learn(2000, callback=Evaluate())
    model.get_env().close()


if __name__ == "__main__":
    main()
