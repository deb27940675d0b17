"""Environments in processes: those that the script has made, or that each process makes."""

import multiprocessing


def worker(pipe, env):
    env = env() if isinstance(env, type) else env
    while True:
        name, arguments = pipe.recv()
        if name == "close":
            env.close()
            break
        result = getattr(env, name)(**arguments)
        if name == "step" and (result[2] or result[3]):
            env.reset()
        pipe.send(result)


class ParallelEnv:
    def __init__(self, envs):
        self.pipes, self.processes = [], []
        context = multiprocessing.get_context("forkserver")
        for env in envs:
            mine, other = context.Pipe()
            process = context.Process(target=worker, args=(other, env), daemon=True)
            process.start()
            self.pipes.append(mine)
            self.processes.append(process)

    def ask(self, name, **arguments):
        for pipe in self.pipes:
            pipe.send((name, arguments))
        return [pipe.recv() for pipe in self.pipes]

    def close(self):
        for pipe, process in zip(self.pipes, self.processes):
            pipe.send(("close", {}))
            process.join()
