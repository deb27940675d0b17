"""Actions in place of drawn ones: from options, a configuration and arguments of programs to an
ActionSource.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from envdoctor.config.toml_text import toml
from envdoctor.errors import UsageError
from envdoctor.model.actions import ActionSource
from envdoctor.model.subject import ID
from envdoctor.request.options import Options
from envdoctor.request.settings import Settings
from envdoctor.request.specs import is_plain, parse

ACTION, ACTIONS = "action", "actions"


def chosen(settings: Settings, spec: str, options: Options) -> ActionSource | None:
    """Return the source of an environment's actions, None where they are drawn. Options come before
    the configuration of the environment, and that before the one of all. Raises UsageError.
    """
    if options.action is not None and options.actions is not None:
        raise _both(settings)
    if options.action is not None:
        return _of_action(options.action, settings)
    if options.actions is not None:
        return _function(options.actions, settings)
    if settings.config is None:
        return None
    for values in (settings.config.of(spec), settings.config.values):
        if ACTION in values and ACTIONS in values:
            raise UsageError(f"{settings.config.origin_for(spec, ACTIONS)}: {_both(settings)}")
        if ACTION in values:
            return of_value(values[ACTION])
        if ACTIONS in values:
            action_source: ActionSource = settings.said(
                partial(of_function, ACTIONS, values[ACTIONS], settings.folder), ACTIONS, spec
            )
            return action_source
    return None


def _both(settings: Settings) -> UsageError:
    text, many = settings.spelled(ACTION), settings.spelled(ACTIONS)
    return UsageError(
        f"{text} and {many} do not go together: one action at each step, or a function that is"
        " asked for each"
    )


def _of_action(action: str | ActionSource, settings: Settings) -> ActionSource:
    if isinstance(action, ActionSource):
        return action
    return of_toml(settings.spelled(ACTION), action)


def _function(actions: str | ActionSource, settings: Settings) -> ActionSource:
    if isinstance(actions, ActionSource):
        return actions
    return of_function(settings.spelled(ACTIONS), actions, _here())


def _here() -> str:
    import os

    return os.getcwd()


def of_toml(option: str, text: str) -> ActionSource:
    """One action, written in TOML. Raises UsageError that says how to write it."""
    import tomllib  # most runs have none

    try:
        (value,) = tomllib.loads(f"value = {text}").values()
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"invalid {option} {text!r}: expected a TOML value{_hint(text)}"
        ) from error
    _require_plain(option, text, value)
    return ActionSource(text, value)


def _hint(text: str) -> str:
    """Suggest how to write the text as TOML."""
    if re.match(r"\s*\w+\s*=", text):
        return f"; a table needs braces: '{{{text.strip()}}}'"
    if "'" in text or '"' in text or not text.strip():
        return ", such as 3, [0.5, -0.5] or '\"a text\"'"
    return f"; a text needs quotes: '\"{text}\"'"


def of_value(value: object, option: str = ACTION) -> ActionSource:
    """One action, as a program or a configuration has it. Raises UsageError."""
    try:
        text = toml(value)
    except (TypeError, ValueError, RecursionError):
        text = repr(value)[:60]
    _require_plain(option, text, value)
    return ActionSource(text, value)


def _require_plain(option: str, text: str, value: object) -> None:
    if not is_plain(value):
        raise UsageError(
            f"invalid {option} {text}: expected texts, numbers, lists and tables, which can be"
            " handed to another process"
        )


def of_function(option: str, text: str, directory: str) -> ActionSource:
    """A function that is asked for each action. Raises UsageError for what names none."""
    subject = None
    if text.strip():
        try:
            subject = parse(text, {}, (), directory)
        except UsageError as error:
            raise UsageError(f"invalid {option}: {error}") from error
    if subject is None or subject.form == ID or not subject.name:
        raise UsageError(
            f"invalid {option} {text!r}: expected a function, as package.module:function or"
            " path/to/file.py:function"
        )
    return ActionSource(
        text,
        name=subject.name,
        module=subject.module or "",
        path=subject.path or "",
        directory=directory,
    )


def action_sources(
    value: object, function: object, find: Callable[..., tuple[str, str]]
) -> tuple[ActionSource | None, ActionSource | None]:
    """The arguments `action` and `actions` of a program; `find` says how another process finds a
    function. Raises UsageError.
    """
    action_source = None if value is None else of_value(value)
    if function is None or isinstance(function, str):
        return action_source, None if function is None else of_function(ACTIONS, function, _here())
    if not callable(function):
        raise UsageError(
            f"invalid {ACTIONS}={repr(function)[:60]}: expected a function, or the name of one"
        )
    text, directory = find(function)
    return action_source, of_function(ACTIONS, text, directory)
