"""Objects that multiprocessing keeps for itself are not in any reading."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from tests.probe import fresh

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

SHARING = """
from multiprocessing import resource_sharer
from envdoctor.probe.sensors import Sensors

names = ["descriptors", "threads", "files"]
probe = Sensors(Context(os.path.dirname(os.environ["TMPDIR"])), lambda name, problem: sys.exit(problem))
before = probe.read_all(names)
with open(os.devnull) as file:
    resource_sharer.DupFd(file.fileno())  # as PyTorch does with each tensor that travels
after = probe.read_all(names)
tell({name: [text for key, text in after[name].items() if before[name].get(key) != text] for name in names})
"""


def test_the_thread_that_hands_out_descriptors_and_its_socket() -> None:
    with tempfile.TemporaryDirectory(prefix="d") as folder:  # a socket's path has to be short
        left = fresh.run(SHARING, Path(folder))
    assert left == {
        "descriptors": ["/dev/null"],
        "threads": [],
        "files": [],
    }, "only the copy that waits to be fetched"
