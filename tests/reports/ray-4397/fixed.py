"""The same, where a trial ends its workers."""

import train


def trial(name):
    train.trial(name)
    for process, remote in train.ACTORS.pop(name):
        remote.send(False)
        process.join()
        remote.close()


if __name__ == "__main__":
    train.main(trial)
