"""A manager: one instance after the other, in a loop of our own."""

from __future__ import annotations

from envdoctor.probe import dialects, vector
from envdoctor.probe.managers import Host
from envdoctor.probe.managers.direct import DirectHost

NAME = "acme-loop"
START_METHODS = ()
DIALECTS = (dialects.GYMNASIUM,)
HIDDEN = 0
EXPECTED = ()
missing = vector.missing


def launch(factories, start_method, options):
    """All instances, driven in turns."""
    return Loop([DirectHost(factory(), int(options.get("seed", 0))) for factory in factories])


class Loop(Host):
    def __init__(self, hosts):
        self.hosts = hosts

    def reset(self, seed):
        for slot, host in enumerate(self.hosts):
            host.reset(None if seed is None else seed + slot)

    def step(self):
        for host in self.hosts:
            host.step()

    def close(self):
        for host in self.hosts:
            host.close()
