"""A trainer, and one that inherits from it and has a replay buffer of rollouts."""

import random
import sys

from countdown import CountdownEnv

FIXED = "fixed" in sys.argv


class GRPOTrainer:
    def __init__(self, environment_factory, num_generations):
        self.environments = [environment_factory() for _ in range(num_generations)]
        self.model = random.Random(5)

    def rollout(self, environment, example):
        """The model calls a tool until it takes the target to be reached."""
        counter = 0
        while counter < example["target"]:
            number = self.model.randint(1, min(5, example["target"] - counter))
            environment.add(number)
            counter += number
        return environment.get_reward()

    def generate_and_score(self, example):
        for environment in self.environments:
            environment.reset(**example)
        return [self.rollout(environment, example) for environment in self.environments]

    def train(self, examples):
        for number, example in enumerate(examples):
            rewards = self.generate_and_score(example)
            if number % 20 == 19:
                print(f"{number + 1}: reward {sum(rewards) / len(rewards):.2f}")


class GRPOWithReplayBufferTrainer(GRPOTrainer):
    def __init__(self, environment_factory, num_generations, buffer_size):
        super().__init__(environment_factory, num_generations)
        self.buffer, self.buffer_size = [], buffer_size

    def generate_and_score(self, example):
        if FIXED:
            for environment in self.environments:
                environment.reset(**example)
        rewards = [self.rollout(environment, example) for environment in self.environments]
        if max(rewards) > min(rewards):
            self.buffer = [*self.buffer, (example, rewards)][-self.buffer_size :]
        return rewards


if __name__ == "__main__":
    trainer = GRPOWithReplayBufferTrainer(CountdownEnv, num_generations=4, buffer_size=16)
    trainer.train([{"prompt": "Reach it.", "target": 5 + number % 6} for number in range(60)])
