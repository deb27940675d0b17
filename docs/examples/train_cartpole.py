"""A training that evaluates itself now and then, and forgets the environment of that."""

import gymnasium


def evaluate(episodes):
    env = gymnasium.make("CartPole-v1")
    for _ in range(episodes):
        env.reset()
        ended = cut = False
        while not (ended or cut):
            _, _, ended, cut, _ = env.step(env.action_space.sample())


def main():
    envs = gymnasium.make_vec("CartPole-v1", num_envs=4, vectorization_mode="async")
    envs.reset(seed=0)
    for step in range(2000):
        envs.step(envs.action_space.sample())
        if step % 500 == 0:
            evaluate(episodes=3)
    envs.close()
    print("trained")


if __name__ == "__main__":
    main()
