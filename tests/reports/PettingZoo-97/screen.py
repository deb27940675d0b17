"""The part of pygame that matters: without a display, its video does not start."""

import os


class error(RuntimeError):  # noqa: N801 - as pygame has it
    pass


started = False


def init():
    """Start the modules, and return how many did not start. Raises nothing."""
    global started
    started = os.environ.get("SDL_VIDEODRIVER", "") == "dummy"
    return 0 if started else 1


def pump():
    if not started:
        raise error("video system not initialized")
