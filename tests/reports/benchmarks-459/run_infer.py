"""An evaluation: instances of a benchmark are worked on in parallel."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

from console import console

METHOD = "spawn" if "fixed" in sys.argv else "fork"


class Workspace:
    """Where the agent runs its commands."""

    def __init__(self, instance):
        self.instance = instance
        self.shell = None

    def __enter__(self):
        self.shell = subprocess.Popen(
            ["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def execute_command(self, command):
        print(command, file=self.shell.stdin, flush=True)
        return self.shell.stdout.readline().strip()

    def __exit__(self, *error):
        self.shell.stdin.close()
        self.shell.wait()
        self.shell.stdout.close()


def process_instance(instance):
    with Workspace(instance) as workspace:
        answer = workspace.execute_command(f"echo $(({instance} * {instance}))")
        console.print(f"[child] instance {instance}: {answer}")
    return instance, answer


def main():
    console.start_progress()
    context = multiprocessing.get_context(METHOD)
    print("evaluating", flush=True)
    with ProcessPoolExecutor(max_workers=2, mp_context=context) as pool:
        futures = [pool.submit(process_instance, instance) for instance in range(8)]
        outputs = [future.result() for future in futures]
    print(f"{len(outputs)} of 8 instances")


if __name__ == "__main__":
    main()
