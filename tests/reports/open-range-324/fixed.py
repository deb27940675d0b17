"""A trainer makes an environment for each slot of its batch, and they are closed."""

from env import EpisodeEnv


class GRPOTrainer:
    def __init__(self, environment_factory, slots):
        self.environments = [environment_factory() for _ in range(slots)]

    def train(self, steps):
        for step in range(steps):
            for slot, env in enumerate(self.environments):
                env.reset(seed=100 * step + slot)
                over = False
                while not over:
                    _, _, over, _, _ = env.step((step + slot) % 4)


def train_round():
    trainer = GRPOTrainer(EpisodeEnv, slots=4)
    try:
        trainer.train(steps=5)
    finally:
        for env in trainer.environments:
            env.close()


if __name__ == "__main__":
    for _ in range(3):
        train_round()
