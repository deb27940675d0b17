"""The command line of a container engine: a container outlives the command that started it."""

import os
import signal
import subprocess
import sys
import time

CONTAINER = "import sys, time; time.sleep(300)"


def run(image, seconds):
    """Start a container, and print its number when it is up."""
    container = subprocess.Popen(
        [sys.executable, "-S", "-c", CONTAINER, image],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)  # the image is unpacked
    print(container.pid, flush=True)


def remove(number):
    os.kill(number, signal.SIGKILL)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(sys.argv[2], float(sys.argv[3]))
    else:
        remove(int(sys.argv[2]))
