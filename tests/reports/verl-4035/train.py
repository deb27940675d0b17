"""Rollouts in a thread, as actors of a distributed trainer run them."""

import threading

from env import Tools


def rollout():
    env = Tools()
    for episode in range(3):
        env.reset(seed=episode)
        over = False
        while not over:
            _, _, _, over, _ = env.step(0)
    env.close()


thread = threading.Thread(target=rollout)
thread.start()
thread.join()
