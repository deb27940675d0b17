"""Commands that validate only what has to be.

typer hands every parameter to pydantic, whose import takes as long as all the rest of the start. A
text that is to stay a text, and a default that was not changed, need none of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from typer._click.core import Context, Parameter
    from typer._click.formatting import HelpFormatter

TEXT, TEXTS = str, list[str]

#: In the help of an option: the names of all of a kind, which are looked up when it is shown.
VECTORIZERS, STORAGES = "{vectorizers}", "{storages}"


class Command(TyperCommand):
    """A command of typer's, whose parameters ask for their validator when they need it."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Those that there are, and --help."""
        return validate_when_needed(super().get_params(ctx))

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Show the options, with what is looked up for their help."""
        from envdoctor import frameworks

        for names, known in (VECTORIZERS, frameworks.MANAGERS), (STORAGES, frameworks.STORAGES):
            for option in self.params:
                if isinstance(option, TyperOption) and option.help:
                    option.help = option.help.replace(names, ", ".join(known))
        super().format_options(ctx, formatter)


def validate_when_needed(parameters: list[Parameter]) -> list[Parameter]:
    """The parameters, with a stand-in before each one's validator. A typer that validates in
    another way is left to it.
    """
    for parameter in parameters:
        validator = getattr(parameter, "get_runtime_param", None)
        if validator is not None and "get_runtime_param" not in vars(parameter):
            unneeded = Unneeded(
                validator, getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
            )
            vars(parameter)["get_runtime_param"] = lambda stand_in=unneeded: stand_in
    return parameters


class Unneeded:
    """Stands where a parameter's validator would, and builds it only for what needs one."""

    def __init__(self, build: Callable[[], Any], annotation: object) -> None:
        self._build = build
        self._annotation = annotation

    def coerce(self, value: object, param: Parameter, ctx: object) -> object:
        """The value, validated where it came as text and is to be something else."""
        if self._annotation == TEXT and isinstance(value, str):
            return value
        if self._annotation == TEXTS and isinstance(value, (list, tuple)):
            return list(value)
        if isinstance(value, (int, float)):  # a default, or a count
            return value
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        return self._build().coerce(value, param=param, ctx=ctx)
