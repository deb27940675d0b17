"""The same, where the workers leave Ctrl-C to the trainer, which asks them to end."""

import signal

import train


def work(number, remote):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    train.work(number, remote)


if __name__ == "__main__":
    train.main(train.ParallelEnvironment(4, work))
