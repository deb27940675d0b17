"""A question of SkyRL-Gym."""

import skyrl_gym


def question():
    reward = {"ground_truth": "4", "method": "rule"}
    return skyrl_gym.make("gsm8k", env_config={}, extras={"reward_spec": reward})
