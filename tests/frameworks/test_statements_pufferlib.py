"""Statements of envdoctor on PufferLib's vectorizers, tried with the version that is installed
(pufferlib-core 3.0.23 when this was written).

ENVDOCTOR_PUFFER_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_pufferlib import PYTHON, needs_pufferlib

HEAD = """
import subprocess
from pufferlib import vector
from pufferlib.emulation import GymnasiumPufferEnv

class Simulated(Env):
    "Holds a simulator, which close() ends."
    def __init__(self, **acts):
        super().__init__(**acts)
        self.simulator = subprocess.Popen(["sleep", "600"])
        log("simulator-%d" % self.simulator.pid)

    def close(self):
        super().close()
        self.simulator.kill()
        self.simulator.wait()

def simulators():
    "The processes of all simulators that were started and not ended."
    names = [line.split()[1] for line in open(LOG) if "simulator-" in line]
    pids = [int(name.partition("-")[2]) for name in names]
    return [pid for pid in pids if alive(pid)]

def alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

def creator(kind=Env, **acts):
    def build(buf=None, seed=0):
        return GymnasiumPufferEnv(env_creator=lambda: kind(**acts), buf=buf, seed=seed)
    return build

def launch(backend, build, number=2, workers=2):
    more = dict(num_workers=workers, overwork=True) if backend is vector.Multiprocessing else {}
    return vector.make(build, num_envs=number, backend=backend, **more)
"""

pytestmark = [
    needs_pufferlib,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.everything,
]


holder, told = fixtures(PYTHON, HEAD)


def test_multiprocessing_closes_one_of_seven_and_waits_for_no_worker(told):
    """Four instances in two workers: one more in the parent, and one in each worker."""
    seen = told("""
        envs = launch(vector.Multiprocessing, creator(Simulated), number=4)
        envs.reset()
        workers = list(envs.processes)
        envs.close()
        ended = until(lambda: all(state(one) == "Z" for one in workers))
        counted = dict(made=logged("made"), closed=logged("closed"), ended=ended, live=len(simulators()))
        for pid in simulators():
            os.kill(pid, signal.SIGKILL)
        tell(**counted)
    """)
    assert (seen["made"], seen["closed"], seen["live"], seen["ended"]) == (7, 1, 6, True)


def test_multiprocessing_an_error_never_arrives(told):
    seen = told("""
        envs = launch(vector.Multiprocessing, creator(step=fail))
        envs.reset()
        broke = outcome(lambda: envs.step(numpy.zeros(2, int)), SHORT)
        tell(step=broke, closed=logged("closed", False))
    """)
    assert (seen["step"], seen["closed"]) == ("hangs", 0)
    assert "on purpose" in seen["stderr"]


def test_serial_never_closes_the_one_that_it_builds_to_read_the_spaces(told):
    seen = told("""
        envs = launch(vector.Serial, creator())
        envs.reset()
        envs.close()
        tell(made=logged("made"), closed=logged("closed"))
    """)
    assert (seen["made"], seen["closed"]) == (3, 2)
