"""A sensor: the licences that the simulator of Acme has taken in this process. It is there once
the subject imported it.
"""

from __future__ import annotations

import sys

NAME = "acme-licences"
GROWS = True


def missing():
    """Works everywhere."""
    return ""


def read(context):
    """{licence: who has it}."""
    simulator = sys.modules.get("acme_simulator")
    return {} if simulator is None else {name: "licence %s" % name for name in simulator.TAKEN}
