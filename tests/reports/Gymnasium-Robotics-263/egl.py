"""A display that is opened once and terminated at exit, as bindings of EGL do."""

import atexit


class Display:
    contexts = 0


display = None


def context():
    global display
    if display is None:
        display = Display()
        atexit.register(terminate)
    display.contexts += 1


def free():
    display.contexts -= 1


def terminate():
    global display
    display = None
