"""A trainer that calls the tools of pooled environments, which it makes once and resets often."""

import random

from layout import LayoutParsingEnv


def dataset(size):
    source = random.Random(1)
    for _ in range(size):
        images = [source.randbytes(source.randint(200, 400)) for _ in range(3)]
        yield {"prompt": "What is on the first page?", "images": images}


class GOLDTrainer:
    def __init__(self, environment_factory, num_generations):
        self.environments = [environment_factory() for _ in range(num_generations)]
        self.rewards = []

    def generate(self, example):
        for number, environment in enumerate(self.environments):
            environment.reset(**example)
            text = environment.layout_parsing(f"img_{number % 3 + 1}")
            self.rewards.append(float(int(text.split()[0]) > 300))

    def train(self, examples):
        for example in examples:
            self.generate(example)


if __name__ == "__main__":
    trainer = GOLDTrainer(LayoutParsingEnv, num_generations=4)
    trainer.train(dataset(50))
    print(f"{len(trainer.rewards)} rollouts, reward {sum(trainer.rewards) / 200:.2f}")
