"""Each genome is evaluated in an environment of its own, in a pool, and none is closed."""

import multiprocessing as mp

import gymnasium as gym


def play(env, genome):
    env.reset(seed=genome)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(genome % 2)
        over = terminated or truncated
        total += reward
    return total


def fitness(genome):
    return play(gym.make("CartPole-v1", render_mode="rgb_array"), genome)


def main():
    with mp.Pool(3) as pool:
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
