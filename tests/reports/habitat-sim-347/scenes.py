"""The script of the report: a simulator for each scene, closed, and all of them kept in a list."""

import sys

from env import Cured, Navigation

simulators = []
for scene in range(40):
    simulators.append((Cured if "fixed" in sys.argv else Navigation)())
    simulators[-1].reset(seed=scene)
    for _ in range(20):
        simulators[-1].step(0)
    simulators[-1].close()
