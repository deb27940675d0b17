"""Three nodes of one processor each on this machine, run by an interpreter that has Ray. It prints
its address, then does what is written to it: `kill` a node as its raylet dies, `unplug` one as a
machine dies, with all that runs on it at once, `add` one, or end.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from ray.cluster_utils import Cluster

NODE = "SWEEP_TEST_NODE"  # inherited by all that runs on a node
END_SECONDS = 30.0


class Nodes:
    """The nodes that are there, each with its mark."""

    def __init__(self, number: int) -> None:
        self.cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
        )
        self.began, self.nodes = 0, list[tuple[str, Any]]()
        for _ in range(number):
            self.add()
        self.cluster.wait_for_nodes(120)

    def add(self) -> None:
        self.began += 1
        mark = f"{os.getpid()}-{self.began}"
        node = self.cluster.add_node(num_cpus=1, wait=False, env_vars={NODE: mark})
        self.nodes.append((mark, node))

    def kill(self) -> None:
        _, node = self.nodes.pop(0)
        self.cluster.remove_node(node, allow_graceful=False)

    def unplug(self) -> None:
        """Nothing that runs there sees another process of it end: all stop first."""
        mark, node = self.nodes.pop(0)
        deadline = time.monotonic() + END_SECONDS
        stopped: set[int] = set()
        while (left := running_on(mark) - stopped) and time.monotonic() < deadline:
            send(left, signal.SIGSTOP)
            stopped |= left
        send(stopped, signal.SIGKILL)
        while running_on(mark) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.cluster.remove_node(node, allow_graceful=False)


def running_on(mark: str) -> set[int]:
    """The processes of a node; what ended has no environment any more."""
    token, pids = f"{NODE}={mark}".encode(), set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if token in file.read().split(b"\0"):
                pids.add(int(pid))
    return pids


def send(pids: set[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def main() -> None:
    nodes = Nodes(3)
    print(nodes.cluster.address, flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word in ("kill", "unplug", "add"):
            getattr(nodes, word)()
        print(word, flush=True)
    nodes.cluster.shutdown()


if __name__ == "__main__":
    main()
