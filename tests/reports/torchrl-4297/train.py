"""The driver is killed (out of memory); its workers, no daemons, play on for ever (pytorch/rl#4297)."""

import multiprocessing as mp
import os
import signal
import time

import gymnasium as gym


def collect(number, results):
    env = gym.make("CartPole-v1")
    env.reset(seed=number)
    while True:
        _, reward, over, cut, _ = env.step(env.action_space.sample())
        if over or cut:
            env.reset()
        try:
            results.put_nowait(reward)
        except Exception:
            pass
        time.sleep(0.002)


def main(collect=collect):
    results = mp.Queue(1000)
    for number in range(2):
        mp.Process(target=collect, args=(number, results)).start()
    for n in range(3000):
        results.get()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
