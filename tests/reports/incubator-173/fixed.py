"""The same, where the environments of an evaluation are closed at its end."""

import train
from parallel import ParallelEnvList


def run_eval(policy, step):
    eval_envs = ParallelEnvList(train.MineSweeper, 4, 2)
    mean = train.rollout(eval_envs, policy, 40)
    print(f"[eval] step={step} mean_reward={mean:.3f}")
    eval_envs.close()


if __name__ == "__main__":
    train.run_eval = run_eval
    train.train()
