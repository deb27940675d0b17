"""A manager: one instance after the other, in a loop of our own."""

from __future__ import annotations

from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.direct import DirectHost
from envdoctor.probe.adapters.gymnasium import driving

NAME = "acme-loop"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = ()
missing = driving.missing


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
