"""A physics engine with windows: a process has a window at most."""

DIRECT, GUI = 1, 2


class PhysicsError(Exception):
    """What the engine raises."""


_clients = {}


def connect(method):
    """The number of a new client, or -1 where it cannot be had."""
    if method == GUI and GUI in _clients.values():
        return -1
    number = max(_clients, default=-1) + 1
    _clients[number] = method
    return number


def load(client, name):
    if client not in _clients:
        raise PhysicsError("Not connected to physics server.")
    return f"{name}@{client}"


def step_simulation(client):
    if client not in _clients:
        raise PhysicsError("Not connected to physics server.")


def disconnect(client):
    _clients.pop(client, None)
