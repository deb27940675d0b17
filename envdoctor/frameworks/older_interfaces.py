"""Exceptions in which the interface of before Gym 0.26 meets the one after it: what was missed, and
the cure.
"""

from __future__ import annotations

import re

from envdoctor.model.training_errors import BOTH, OLDER_SEED, OTHER_LIBRARY, ErrorDetail
from envdoctor.model.training_instances import Raised

TAKE_SEED = (
    "let reset() take the keyword arguments seed=None and options=None, and call"
    " super().reset(seed=seed) in it."
)
REFUSED = re.compile(
    r"(?:(?P<name>\w+)\.)?reset\(\) got an unexpected keyword argument '(seed|options)'"
)
RENDER_MODE = re.compile(r"render\(\) got an unexpected keyword argument 'mode'")
UNPACKED = re.compile(r"(too many|not enough) values to unpack \(expected (?P<number>\d)")
#: A line that takes several values of a call, and what each library's own line asks for.
TAKES = re.compile(r"=\s*\S*\.(?P<method>reset|step)\(.*\)\s*(#.*)?$")
METHODS = {2: "reset", 5: "step"}

FOUR = "returned four values, as before Gym 0.26, and as some vectorizers do"
ALONE = "returned the observation alone, as before Gym 0.26, and as some vectorizers do"
#: What was missed, the cure in the line that takes the values, and that in the environment.
UNPACKINGS = {
    ("reset", 2): (
        f": reset() {ALONE}",
        "take it alone in that line: `observation = env.reset()`; or ",
        "return (observation, info) from reset() of the environment.",
    ),
    ("step", 5): (
        f": step() {FOUR}",
        "take `observation, reward, done, info` in that line; or ",
        "return (observation, reward, terminated, truncated, info) from step() of the environment.",
    ),
    ("step", 4): (
        ": step() returned five values, as it does since Gym 0.26",
        (
            "take `observation, reward, terminated, truncated, info` in that line: the episode has"
            " ended where one of the two is true."
        ),
        "",
    ),
}


def meeting(error: Raised, is_librarys: bool) -> tuple[str, str] | None:
    """Return what an exception has missed, said after it, and the cure; None for another one.
    `is_librarys` says that a framework's own line raised it.
    """
    refused = REFUSED.search(error.message)
    if refused:
        name = refused.group("name")
        whose = f" of {name}" if name else ""
        return f": reset(){whose} does not take what reset() is given since Gym 0.26", TAKE_SEED
    if RENDER_MODE.search(error.message):
        return ": render() takes no mode since Gym 0.26", (
            'give render_mode="rgb_array" where the environment is made, and call render() without'
            " arguments."
        )
    unpacked = UNPACKED.match(error.message)
    return _unpacking(error, int(unpacked.group("number")), is_librarys) if unpacked else None


def _unpacking(error: Raised, number: int, is_librarys: bool) -> tuple[str, str] | None:
    """Return that of a line, the script's or a library's, that takes such a number of values."""
    line = TAKES.search(error.text)
    in_line = line.group("method") if line else ""
    method = METHODS.get(number, "") if is_librarys else in_line
    missed, cure, in_environment = UNPACKINGS.get((method, number), ("", "", ""))
    return (missed, f"{'' if is_librarys else cure}{in_environment}") if missed else None


def difference(detail: ErrorDetail) -> tuple[str, str] | None:
    """Return what a circumstance says of the two interfaces, or of two libraries, and the cure."""
    if detail.kind == OLDER_SEED:
        return f": environments have no seed() since Gym 0.26, and {detail.names[0]} has none", (
            "give the seed to the first reset(), `env.reset(seed=SEED)`, and seed what draws"
            " actions by `env.action_space.seed(SEED)`."
        )
    if detail.kind == BOTH:
        name = detail.names[0]
        return f": {name} is (observation, info), which reset() returns since Gym 0.26", (
            f"take both where reset() is called: `{name}, info = env.reset()`."
        )
    if detail.kind == OTHER_LIBRARY:
        other, asked = detail.names
        return f": it is registered with {other}, and {asked} has a registry of its own", (
            f"register it with {asked}, by `{asked}.register(id=..., entry_point=...)`, where its"
            f" class inherits from {asked}.Env; or make it by {other}.make()."
        )
    return None
