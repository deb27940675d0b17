"""PPO on CartPole in two workers, with an evaluation at the end."""

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import SubprocVecEnv


def main():
    envs = make_vec_env("CartPole-v1", n_envs=2, seed=1, vec_env_cls=SubprocVecEnv)
    model = PPO("MlpPolicy", envs, n_steps=128, device="cpu")
    model.learn(1024)
    evaluation = make_vec_env("CartPole-v1", seed=2)
    evaluate_policy(model, evaluation, n_eval_episodes=5)
    evaluation.close()
    envs.close()


if __name__ == "__main__":
    main()
