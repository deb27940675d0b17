"""The training script launches workers at its top level, and each worker would do so again; the
twin does it below a guard.

The scripts stand in their own folder: they are run, not imported.
"""

TARGETS = {"Sick": "ZooScript-v0", "Healthy": "ZooScript-v0"}
SCRIPTS = {"Sick": "scripts/unguarded.py", "Healthy": "scripts/guarded.py"}
ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "spawn,forkserver"]
