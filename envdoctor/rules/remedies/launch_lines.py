"""Lines of code that launch a manager, as a person writes them: for remedies."""

from __future__ import annotations

from envdoctor.frameworks import launch_id_lines, launch_lines
from envdoctor.frameworks.profile import Launch, Options
from envdoctor.rules.engine.view import View

Place = tuple[str, str | None]  # manager, start method

INSTANCES = 4


def made(view: View) -> str:
    """The call that makes one of this subject, as a user would write it."""
    identifier = view.survey.id
    package = view.survey.registered_by
    known = (
        f"{package}:{identifier}"
        if identifier and package and ":" not in identifier
        else identifier
    )
    name = view.subject.rpartition(":")[2]
    callable_name = (
        name if name.isidentifier() else view.class_name if view.survey.env_class else "make_env"
    )
    return f'{view.registry.make}("{known}")' if known else f"{callable_name}()"


def launch_piped(view: View) -> tuple[str, ...]:
    """The line that launches a vectorizer so that observations come through the pipe."""
    return launch_code(
        (view.manager, view.start_method),
        factory_of(view),
        options=view.vectorizer.without_shared_memory,
    )


def factory_of(view: View) -> str:
    """An expression for a factory of the subject."""
    call = made(view)
    return call.removesuffix("()") if call.endswith("()") else f"lambda: {call}"


def launch_code(
    place: Place, factory: str, instances: int = INSTANCES, options: Options = (), api: str = ""
) -> tuple[str, ...]:
    """The lines that launch the manager of a place on factories; `factory` is an expression for one
    of them, `api` whose kind of environment it makes: a framework's own need no wrapper there.
    None where nothing is known of the manager but its name.
    """
    manager, method = place
    return launch_lines(manager, Launch(factory, method, instances, options, api))


def launch_id_code(place: Place, identifier: str, options: Options = ()) -> tuple[str, ...]:
    """The lines that launch the manager of a place on a registered id."""
    manager, method = place
    return launch_id_lines(manager, identifier, Launch("", method, INSTANCES, options))


def name_place(place: Place) -> str:
    """`sb3-subproc, forkserver`."""
    return ", ".join(filter(None, place))
