"""A list of environments, spread over processes of a fork server."""

import multiprocessing

import numpy as np


def worker(pipe, parents, make, count):
    parents.close()
    envs = [make() for _ in range(count)]
    while True:
        try:
            order, data = pipe.recv()
        except EOFError:
            break
        if order == "reset":
            pipe.send([env.reset()[0] for env in envs])
        elif order == "act":
            results = []
            for env, action in zip(envs, data):
                observation, reward, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    observation, _ = env.reset()
                results.append((observation, reward, terminated or truncated))
            pipe.send(results)
        elif order == "close":
            for env in envs:
                env.close()
            pipe.close()
            break


class ParallelEnvList:
    def __init__(self, make, count, processes):
        context = multiprocessing.get_context("forkserver")
        self.count, self.each = count, count // processes
        self.pipes, self.processes = [], []
        for _ in range(processes):
            mine, theirs = context.Pipe()
            arguments = (theirs, mine, make, self.each)
            process = context.Process(target=worker, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self.pipes.append(mine)
            self.processes.append(process)

    def reset(self):
        for pipe in self.pipes:
            pipe.send(("reset", None))
        return np.stack([observation for pipe in self.pipes for observation in pipe.recv()])

    def act(self, actions):
        for number, pipe in enumerate(self.pipes):
            pipe.send(("act", actions[number * self.each : (number + 1) * self.each]))
        results = [result for pipe in self.pipes for result in pipe.recv()]
        observations, rewards, over = zip(*results)
        return np.stack(observations), np.array(rewards), np.array(over)

    def close(self):
        for pipe in self.pipes:
            pipe.send(("close", None))
        for process in self.processes:
            process.join()
