"""Each call of a pool seeds its environment with its number."""

import multiprocessing as mp

import gymnasium as gym


def roll_out(number):
    env = gym.make("CartPole-v1")
    env.action_space.seed(number)
    env.reset(seed=number)
    actions = []
    for _ in range(600):
        action = env.action_space.sample()
        actions.append(int(action))
        if env.step(action)[2]:
            env.reset()
    env.close()
    return actions


def main():
    with mp.Pool(4) as pool:
        for iteration in range(4):
            segments = pool.map(roll_out, range(4 * iteration, 4 * iteration + 4), chunksize=1)
        pool.close()
        pool.join()
    print(len({tuple(segment) for segment in segments}), "different segments of 4")


if __name__ == "__main__":
    main()
