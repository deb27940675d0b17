"""Three nodes of one processor each on this machine, run by an interpreter that has Ray. It prints
its address, then does what is written to it: `kill` a node as a machine dies, `add` one, or end.
"""

from __future__ import annotations

import sys

from ray.cluster_utils import Cluster


def main() -> None:
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    nodes = [cluster.add_node(num_cpus=1, wait=False) for _ in range(3)]
    cluster.wait_for_nodes(120)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "kill":
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
        elif line.strip() == "add":
            nodes.append(cluster.add_node(num_cpus=1, wait=False))
        print(line.strip(), flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
