"""Workers, each of which writes what it counted itself: processes.py FOLDER START_METHOD."""

import json
import multiprocessing
import os
import signal
import sys

import arms


def work(folder, number, end):
    arms.COUNTS.update(dict.fromkeys(arms.COUNTS, 0))  # of the parent, in a forked worker
    arms.play(number, 5 * number, close=end != "open")
    with open(os.path.join(folder, "%d.json" % os.getpid()), "w") as file:
        json.dump(arms.COUNTS, file)
    if end == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if end == "exit":
        os._exit(0)


def main():
    folder, method = sys.argv[1:]
    arms.play(2, 7)
    context = multiprocessing.get_context(method)
    ends = ("plain", "open", "kill", "exit")
    workers = [
        context.Process(target=work, args=(folder, number, end))
        for number, end in enumerate(ends, start=1)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with open(os.path.join(folder, "%d.json" % os.getpid()), "w") as file:
        json.dump(arms.COUNTS, file)


if __name__ == "__main__":
    main()
