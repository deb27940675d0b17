"""Texts of a file that would take the memory of the machine, or hours, if they were followed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

MOST = 120  # MiB; each of these takes 300 or more where it is followed
FOLLOW = """
import re, sys
from envdoctor.discovery.files import SourceFile
from envdoctor.discovery.registering import FoldedProject
file = SourceFile("rob.py", ".", "rob", "from gymnasium import register\\n" + sys.argv[1])
ids = [each.identifier for each in FoldedProject([file], ("gymnasium",)).registered(file)]
size = re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())
print(ids, int(size[1]) >> 10)  # ru_maxrss may be that of the parent
"""
ID = "register(id='A-v0')\n"


@pytest.mark.parametrize(
    "text",
    [
        "x = 'a'.zfill(300_000_000)\n",
        "x = '{:>{}}'.format('x', 300_000_000)\n",
        "x = '{:>{}}'.format('x', '300000000')\n",
        "x = '%*d' % (300_000_000, 1)\n",
        "a = [0] * 1000\nb = [a] * 1000\nc = [b] * 1000\nx = c == c\n",
        "a = [0] * 1000\nb = [a] * 1000\nc = [b] * 1000\nif unknown():\n    x = 1\n",
        "a = [0] * 1000\nb = [a] * 1000\nx = str(b)\n",
        "a = [0]\n" + "a = [*a, *a]\n" * 60,
        "s = 'x'\n" + "s = f'{s}{s}'\n" * 60,
        "a = [0]\nfor i in range(900):\n    a.append(a * 900)\nx = a == a\n",
        "a = {}\nfor i in range(300):\n    a[i] = a\nx = a == a\n",
        "a = []\na.append(a)\nx = a == a\nif unknown():\n    x = 2\n",
    ],
)
def test_large_value_is_unknown_and_the_rest_is_followed(text: str) -> None:
    words = [sys.executable, "-c", FOLLOW, text + ID]
    child = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    ids, size = child.stdout.rsplit(" ", 1)
    assert ids == "['A-v0']", child.stderr
    assert int(size) < MOST
