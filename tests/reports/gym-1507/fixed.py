"""Genomes are evaluated in a pool, whose workers have an environment each, and close it."""

import multiprocessing as mp
from multiprocessing import util

import gymnasium as gym

env = None


def make_once():
    global env
    env = gym.make("CartPole-v1", render_mode="rgb_array")
    util.Finalize(None, env.close, exitpriority=1)


def play(env, genome):
    env.reset(seed=genome)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(genome % 2)
        over = terminated or truncated
        total += reward
    return total


def fitness(genome):
    return play(env, genome)


def main():
    with mp.Pool(3, make_once) as pool:
        for generation in range(20):
            jobs = [
                pool.apply_async(fitness, (genome,))
                for genome in range(generation, generation + 20)
            ]
            for job in jobs:
                job.get(timeout=30)
        pool.close()
        pool.join()


if __name__ == "__main__":
    main()
