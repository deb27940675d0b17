"""envdoctor: the command-line doctor for reinforcement-learning environments.

The tree is the architecture: `model` holds values, `probe` runs in the user's interpreter,
`supervise` keeps probe processes bounded, `rules` turn traces into findings, `reporters` turn a
report into text, `cli` parses the command line.
"""

if ".pyz" in __file__:
    # A probe imports its copy of this package from a zip file; `envdoctor.demo` stays with the
    # installed one. The doctor imports nothing here: a Ctrl-C in it would be a traceback.
    from pkgutil import extend_path

    __path__ = extend_path(__path__, __name__)

__version__ = "1.0.0"

__all__ = [
    "EnvdoctorError",
    "Finding",
    "NothingToCheck",
    "Report",
    "UsageError",
    "check",
    "exit_code",
    "leak",
    "render",
    "watching",
]

_HOMES = {
    "EnvdoctorError": "errors",
    "NothingToCheck": "errors",
    "UsageError": "errors",
    "Finding": "model.finding",
    "Report": "model.report",
    "check": "api",
    "exit_code": "api",
    "leak": "api",
    "render": "api",
    "watching": "inside",
}


def __getattr__(name):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The names of `__all__`, imported when they are asked for: a probe and `--help` need none
    of them.
    """
    if name not in _HOMES:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import importlib

    return getattr(importlib.import_module("%s.%s" % (__name__, _HOMES[name])), name)
