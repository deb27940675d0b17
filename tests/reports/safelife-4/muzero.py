"""Self-play: each worker has a copy of the game."""

import multiprocessing
import sys

import gymnasium
import numpy as np
import safelife_env


def self_play(game, episodes, results):
    generator = np.random.default_rng(0)
    for _ in range(episodes):
        game.reset()
        total, over = 0.0, False
        while not over:
            _, reward, done, truncated, _ = game.step(int(generator.integers(5)))
            total, over = total + reward, done or truncated
        results.put(total)


if __name__ == "__main__":
    safelife_env.register()
    version = "v2" if "fixed" in sys.argv else "v1"
    game = safelife_env.SafeLifeEnv(**gymnasium.spec(f"safelife-append-still-{version}").kwargs)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=self_play, args=(game, 10, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    print(sum(results.get() for _ in range(20)) / 20)
    for worker in workers:
        worker.join()
    game.close()
