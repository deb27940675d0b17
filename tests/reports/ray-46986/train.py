"""Each runner resets its vector environment with the same seed."""

import multiprocessing as mp

import gymnasium as gym


def run(remote, index):
    envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
    envs.reset(seed=42)
    while remote.recv():
        for _ in range(50):
            envs.step(envs.action_space.sample())
        remote.send(50)
    envs.close()


def main():
    remotes = []
    for index in range(3):
        ours, theirs = mp.Pipe()
        mp.Process(target=run, args=(theirs, index)).start()
        remotes.append(ours)
    for _ in range(20):
        for remote in remotes:
            remote.send(True)
        for remote in remotes:
            remote.recv()
    for remote in remotes:
        remote.send(False)


if __name__ == "__main__":
    main()
