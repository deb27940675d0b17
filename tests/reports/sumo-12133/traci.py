"""The client of a traffic simulator: connections are kept under their labels."""

import subprocess
import sys

SIMULATOR = """
import sys
vehicles = 0
for line in sys.stdin:
    vehicles = (vehicles * 5 + int(line) + 3) % 11
    print(vehicles, flush=True)
"""
connections = {}


class TraCIException(Exception):
    pass


class FatalTraCIError(Exception):
    pass


class Connection:
    def __init__(self, label):
        self.label = label
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", SIMULATOR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def simulationStep(self, phase):
        if self.process is None:
            raise FatalTraCIError("Connection already closed.")
        print(phase, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


def start(label="default"):
    if label in connections:
        raise TraCIException(f"Connection '{label}' is already active.")
    connections[label] = Connection(label)


def getConnection(label="default"):
    return connections[label]


def close(label="default"):
    connections.pop(label).close()
