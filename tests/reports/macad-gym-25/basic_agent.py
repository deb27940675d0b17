"""Two episodes with an agent that acts by chance."""

from env import MultiCarla

if __name__ == "__main__":
    env = MultiCarla()
    env.action_space.seed(0)
    for episode in range(2):
        env.reset(seed=episode)
        over = False
        while not over:
            _, _, _, over, _ = env.step(env.action_space.sample())
