"""All episodes are evicted as too old before they are sampled: the trainer polls for ever."""

import multiprocessing as mp
import sys
import time

import gymnasium as gym

FIXED = "fixed" in sys.argv


def generate(episodes, version):
    env = gym.make("CartPole-v1")
    env.reset(seed=0)
    while version.value >= 0:
        made_with, reward, over = version.value, 0.0, False
        env.reset()
        while not over:
            _, gain, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated
            reward += gain
        if made_with >= 12 and not FIXED:
            made_with = 12  # the weights of later versions do not arrive
        episodes.put((made_with, reward))
    env.close()


def main():
    version, episodes = mp.Value("i", 0), mp.Queue(4)
    worker = mp.Process(target=generate, args=(episodes, version), daemon=True)
    worker.start()
    buffer = []
    while version.value < 40:
        while not episodes.empty():
            buffer.append(episodes.get())
        buffer = [episode for episode in buffer if episode[0] >= version.value - 2 * FIXED]
        if buffer:
            buffer.pop()
            version.value += 1
        else:
            time.sleep(0.01)
    version.value = -1
    while not episodes.empty():
        episodes.get()
    worker.join(5)


if __name__ == "__main__":
    main()
