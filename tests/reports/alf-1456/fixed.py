"""The same, where the workers leave Ctrl-C to the trainer, which asks them to end."""

import signal

import train


def work(remote):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    train.work(remote)


if __name__ == "__main__":
    train.main(train.ParallelEnvironment(4, work))
