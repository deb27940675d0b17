"""One crossing of SUMO-RL, with the simulator from PyPI."""

import os
from pathlib import Path

import sumo

os.environ["SUMO_HOME"] = sumo.SUMO_HOME

import sumo_rl  # noqa: E402

NET = Path(sumo_rl.__file__).parent / "nets" / "single-intersection"


def crossing():
    return sumo_rl.SumoEnvironment(
        net_file=str(NET / "single-intersection.net.xml"),
        route_file=str(NET / "single-intersection.rou.xml"),
        single_agent=True,
        num_seconds=100,
    )
