"""The trainer closes its vectorizer when it has trained, and evaluates with the same one afterwards."""

import multiprocessing

import gymnasium


def work(pipe, name):
    env = gymnasium.make(name)
    while True:
        order, value = pipe.recv()
        if order == "reset":
            pipe.send(env.reset(seed=value)[0])
        elif order == "step":
            pipe.send(env.step(value))
        else:
            env.close()
            pipe.close()
            return


class SubProcessVecEnv:
    def __init__(self, name, number):
        context = multiprocessing.get_context("fork")
        self.pipes, self.processes = [], []
        for _ in range(number):
            mine, theirs = context.Pipe()
            process = context.Process(target=work, args=(theirs, name), daemon=True)
            process.start()
            theirs.close()
            self.pipes.append(mine)
            self.processes.append(process)

    def reset(self, seed=None):
        for number, pipe in enumerate(self.pipes):
            pipe.send(("reset", None if seed is None else seed + number))
        return [pipe.recv() for pipe in self.pipes]

    def step(self, actions):
        for pipe, action in zip(self.pipes, actions):
            pipe.send(("step", action))
        return [pipe.recv() for pipe in self.pipes]

    def close(self):
        for pipe in self.pipes:
            pipe.send(("close", None))
        for process in self.processes:
            process.join()


class Trainer:
    def __init__(self, env):
        self.env = env

    def play(self, steps):
        self.env.reset(seed=0)
        for number in range(steps):
            self.env.step([number % 2] * 2)
            if number % 8 == 7:
                self.env.reset()

    def train(self):
        self.play(200)
        self.env.close()

    def evaluate(self):
        self.play(50)


if __name__ == "__main__":
    trainer = Trainer(SubProcessVecEnv("CartPole-v1", 2))
    trainer.train()
    trainer.evaluate()
