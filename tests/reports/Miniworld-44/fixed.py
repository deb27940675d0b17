"""The same, where each process makes its own."""

import multiprocessing

import train


def worker(pipe, make):
    train.worker(pipe, make())


class ParallelEnv(train.ParallelEnv):
    def __init__(self, makers):
        context = multiprocessing.get_context("fork")
        self.env = makers[0]()
        self.pipes, self.processes = [], []
        for make in makers[1:]:
            local, remote = context.Pipe()
            process = context.Process(target=worker, args=(remote, make), daemon=True)
            process.start()
            remote.close()
            self.pipes.append(local)
            self.processes.append(process)


def main():
    parallel = ParallelEnv([train.Hallway] * 3)
    parallel.reset()
    for step in range(25):
        parallel.step(step % 3)
    parallel.close()


if __name__ == "__main__":
    main()
