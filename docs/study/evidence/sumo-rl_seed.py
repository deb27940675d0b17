# sumo-rl: DET004: after one reset with a seed, each reset without one plays the same traffic again
import os
from pathlib import Path

import numpy
import sumo

os.environ["SUMO_HOME"] = sumo.SUMO_HOME
import sumo_rl  # noqa: E402

NET = Path(sumo_rl.__file__).parent / "nets" / "single-intersection"
env = sumo_rl.SumoEnvironment(
    net_file=str(NET / "single-intersection.net.xml"),
    route_file=str(NET / "single-intersection.rou.xml"),
    single_agent=True,
    num_seconds=200,
)


def episode(seed=None):
    env.reset(seed=seed)
    return numpy.concatenate([env.step(0)[0] for _ in range(30)]).tobytes()


seeded = {episode(7)} | {episode() for _ in range(3)}
others = {episode(seed) for seed in (1, 2, 3)}
print(
    f"reset(seed=7), then reset() three times: {len(seeded)} different; three other seeds: {len(others)}"
)
print(f"sumo_seed stays {env.sumo_seed} after the last seed")
assert len(seeded) == 1 and len(others) > 1
