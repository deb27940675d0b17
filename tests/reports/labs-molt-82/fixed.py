"""A runner that ends an episode where the context of the model is full, and closes the environment."""

from env import Quest

CONTEXT = 40  # characters
kept = []


def rollout(number):
    env = Quest()
    kept.append(env)  # as the trajectory does, for its statistics
    try:
        _, _ = env.reset(seed=number)
        used, over = 0, False
        while not over:
            used += 8
            if used > CONTEXT:
                break
            _, _, over, _, _ = env.step(env.action_space.sample())
    finally:
        env.close()


if __name__ == "__main__":
    for number in range(40):
        rollout(number)
