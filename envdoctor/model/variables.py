"""The environment variables that the doctor itself asks for, each once."""

from __future__ import annotations

from typing import Mapping

from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Variables:
    """The variables of the user's shell. `no_colour` and `force_colour` are of no-color.org and its
    like, `terminal` is the terminal's kind. `tunables` are those of glibc, which the probe gets
    besides its own. `debug`: an internal error is raised.
    """

    no_colour: bool = False
    force_colour: bool = False
    terminal: str = ""
    tunables: str = ""
    debug: bool = False


def variables(environment: Mapping[str, str]) -> Variables:
    """Those of a process, as `os.environ` has them."""
    return Variables(
        no_colour=bool(environment.get("NO_COLOR")),
        force_colour=bool(environment.get("FORCE_COLOR")),
        terminal=environment.get("TERM", ""),
        tunables=environment.get("GLIBC_TUNABLES", ""),
        debug=bool(environment.get("ENVDOCTOR_DEBUG")),
    )
