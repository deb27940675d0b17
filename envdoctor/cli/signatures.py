"""Commands whose parameters are the fields of dataclasses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints


def spread(
    parameters: Mapping[str, object],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command: each parameter that is typed as a dataclass becomes one parameter for
    each field, in the order of `parameters`, {field: annotated type}. A field that is not among
    these keeps its default.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

        def command(**values: object) -> None:
            for name, kind in groups.items():
                names = parameters.keys() & {each.name for each in fields(kind)}
                values[name] = kind(**{each: values.pop(each) for each in names})
            function(**values)

        own = [
            each.replace(annotation=hints[each.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for each in inspect.signature(function).parameters.values()
            if each.name not in groups
        ]
        from_fields = {
            each.name: _parameter(each, parameters[each.name])
            for kind in groups.values()
            for each in fields(kind)
            if each.name in parameters
        }
        every = [*own, *(from_fields[name] for name in parameters if name in from_fields)]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in every}
        return command

    return decorate


def _parameter(field: Field[object], annotation: object) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
