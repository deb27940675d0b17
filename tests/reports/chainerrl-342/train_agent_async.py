"""Agents learn in processes of their own, each with an environment, and one for evaluations."""

import multiprocessing as mp
import sys

import numpy as np
from robot import Arm

FIXED = "fixed" in sys.argv


def make_env(process_idx, test):
    env = Arm()
    env.action_space.seed(2 * process_idx + test)
    return env


def run_episode(env):
    env.reset()
    total, done = 0.0, False
    while not done:
        _, reward, done, _, _ = env.step(env.action_space.sample())
        total += reward
    return total


def train_loop(process_idx, env, eval_env, steps, counter):
    while counter.value < steps:
        run_episode(env)
        with counter.get_lock():
            counter.value += 20
        if counter.value % 200 == 0:
            print(f"process {process_idx}: {run_episode(eval_env):.2f}", flush=True)


def run_async(n_process, run_func):
    processes = [mp.Process(target=run_func, args=(number,)) for number in range(n_process)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def train_agent_async(processes, steps):
    counter = mp.Value("l", 0)

    def run_func(process_idx):
        np.random.seed(process_idx)
        env = make_env(process_idx, test=False)
        eval_env = make_env(process_idx, test=True)
        train_loop(process_idx, env, eval_env, steps, counter)
        if FIXED:
            env.close()
            eval_env.close()

    run_async(processes, run_func)


if __name__ == "__main__":
    mp.set_start_method("fork")
    train_agent_async(processes=2, steps=2000)
