"""The names of environments' classes, in every framework, and of what is around them; and how a
class without a framework's base is known.
"""

from __future__ import annotations

ENVIRONMENTS = ("Env", "Environment", "EnvBase")  # ends of their names
TRANSITION = (3, 4, 5)  # values that a step() returns: an observation, a reward, ends, an info
#: Ends, in any case, of the names of what takes an environment, or hosts several.
AROUND = ("wrapper", "vecenv", "manager")


def names_environment(name: str) -> bool:
    """Return whether a class of this name, or full name, is one of environments, or their base."""
    return name.endswith(ENVIRONMENTS)


def names_around(name: str) -> bool:
    """Return whether a class of this name, or full name, takes an environment or hosts several."""
    return name.lower().endswith(AROUND)
