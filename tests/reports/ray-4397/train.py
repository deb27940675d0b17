"""Each trial starts workers of its own, which a registry keeps alive after the trial."""

import multiprocessing as mp

import gymnasium as gym

ACTORS = {}


def actor(remote):
    envs = [gym.make("CartPole-v1") for _ in range(2)]
    for number, env in enumerate(envs):
        env.reset(seed=number)
    while remote.recv():
        for env in envs:
            if env.step(1)[2]:
                env.reset()
        remote.send(True)
    for env in envs:
        env.close()


def trial(name):
    actors = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        process = mp.Process(target=actor, args=(theirs,), daemon=True)
        process.start()
        actors.append((process, ours))
    ACTORS[name] = actors
    for _ in range(300):
        for _, remote in actors:
            remote.send(True)
        for _, remote in actors:
            remote.recv()


def main(trial=trial):
    for number in range(40):
        trial(f"PPO_{number}")


if __name__ == "__main__":
    main()
