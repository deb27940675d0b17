"""Three runs with a seed each, which is given to the first reset(), or to all of them."""

import sys

import gymnasium


def train(seed_each):
    for seed in (1, 2, 3):
        env = gymnasium.make("CartPole-v1")
        env.action_space.seed(seed)
        for episode in range(40):
            env.reset(seed=seed if seed_each or episode == 0 else None)
            over = False
            while not over:
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                over = terminated or truncated
        env.close()


if __name__ == "__main__":
    train(seed_each=sys.argv[1] == "sick")
