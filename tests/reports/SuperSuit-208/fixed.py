"""A vectorizer whose workers end where it is closed."""

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
            return


class ProcConcat:
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

    def reset(self, seed):
        for number, pipe in enumerate(self.pipes):
            pipe.send(("reset", seed + number))
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
        self.pipes, self.processes = [], []

    def __del__(self):
        self.close()


def train(number):
    envs = ProcConcat("CartPole-v1", 2)
    envs.reset(10 * number)
    for step in range(8):
        envs.step([step % 2] * 2)
    envs.close()
    return envs


if __name__ == "__main__":
    results = [train(number) for number in range(12)]
    print(len(results))
