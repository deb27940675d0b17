"""A simulator and a planner in processes of their own; the planner ends first."""

import os
import subprocess
import sys


class Program:
    def __init__(self, file, prefix):
        self.process = subprocess.Popen(
            [sys.executable, file, prefix, *sys.argv[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self):
        self.process.communicate()
        return self.process.returncode


def main():
    prefix = f"dial_{os.getpid()}"
    simulator = Program("dial_sim.py", prefix)
    simulator.process.stdout.readline()
    planner = Program("dial_plan.py", prefix)
    for _ in range(200):
        planner.ask()
        simulator.ask()
    print("the planner ended with", planner.end())
    for _ in range(20):
        simulator.ask()
    print("the simulator ended with", simulator.end())


if __name__ == "__main__":
    main()
