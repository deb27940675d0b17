"""Remedies for what an error says is not there."""

from __future__ import annotations

import pytest

from envdoctor.frameworks.published_ids import publisher
from envdoctor.model.errors import ErrorValue, Frame, MissingRequirement
from envdoctor.rules.remedies.what_is_missing import (
    commands_in,
    commands_of_call,
    cure_of_call,
    remedy_of,
)

PYTHON = "/opt/rl/bin/python"


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        (
            "Box2D is not installed, run `pip install swig`, then `pip install 'gymnasium[box2d]'`",
            ("pip install swig", "pip install 'gymnasium[box2d]'"),
        ),
        ("No module named 'pygame'. (HINT: run pip install pygame.)", ("pip install pygame",)),
        ("try pip install gym[atari] to get it", ("pip install 'gym[atari]'",)),
        ("ROMs: `pip install gym[accept-rom-license]`", ("pip install 'gym[accept-rom-license]'",)),
        ("`python -m retro.import <path>` imports ROMs", ()),
        ("`env.reset()` comes first, `AutoROM`", ()),
        ("`pip install x; rm -rf /`", ("pip install x",)),
        ("`pip install 'x`", ()),
    ],
)
def test_commands_of_a_message_are_for_the_interpreter(
    message: str, commands: tuple[str, ...]
) -> None:
    expected = tuple(each.replace("pip", f"{PYTHON} -m pip", 1) for each in commands)
    assert commands_in(message, PYTHON) == expected


def test_commands_of_other_programs_stay() -> None:
    message = "`AutoROM --accept-license`, `python -m atari_py.import_roms .`"
    assert commands_in(message, PYTHON) == (
        "AutoROM --accept-license",
        f"{PYTHON} -m atari_py.import_roms .",
    )


@pytest.mark.parametrize(
    ("error", "text", "commands"),
    [
        (
            ErrorValue(
                "builtins.ModuleNotFoundError",
                "No module named 'cv2'",
                missing=MissingRequirement("cv2", ("rob[vision]",)),
            ),
            "install cv2, which the package that imports it asks for.",
            (f"{PYTHON} -m pip install 'rob[vision]'",),
        ),
        (
            ErrorValue(
                "builtins.ImportError", "Please declare the environment variable 'SUMO_HOME'"
            ),
            "set the environment variable SUMO_HOME before envdoctor is started.",
            ("export SUMO_HOME=...",),
        ),
        (
            ErrorValue(
                "builtins.KeyError",
                "'MUJOCO_PATH'",
                missing=MissingRequirement(variable="MUJOCO_PATH"),
            ),
            "set the environment variable MUJOCO_PATH before envdoctor is started.",
            ("export MUJOCO_PATH=...",),
        ),
        (
            ErrorValue(
                "builtins.ImportError",
                "libGL.so.1: cannot open shared object file: No such file or directory",
            ),
            "install the package of your system that brings libGL.so.1; this names it.",
            ("apt-file search libGL.so.1",),
        ),
        (
            ErrorValue(
                "builtins.FileNotFoundError", "[Errno 2] No such file or directory: '/opt/a/b.xml'"
            ),
            "put /opt/a/b.xml there: it does not come with what is installed.",
            (),
        ),
        (
            ErrorValue("builtins.Exception", "We expected to find the file here: /m/mujoco210 ."),
            "put /m/mujoco210 there: it does not come with what is installed.",
            (),
        ),
        (
            ErrorValue("builtins.ModuleNotFoundError", "No module named 'x.y'"),
            (
                "install what provides x.y for /opt/rl/bin/python, and declare it as a dependency"
                " of the environment's package."
            ),
            (),
        ),
        (
            ErrorValue(
                "builtins.FileNotFoundError",
                "[Errno 2] No such file or directory: 'sumo'",
                (Frame("/usr/lib/python3.11/subprocess.py", 1953),),
            ),
            "install the program sumo, or put its folder on PATH.",
            (),
        ),
    ],
)
def test_missing_thing_has_its_remedy(
    error: ErrorValue, text: str, commands: tuple[str, ...]
) -> None:
    assert remedy_of(error, PYTHON) == (text, commands)


@pytest.mark.parametrize(
    ("message", "names"),
    [
        (
            "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
            ("what numpy has in place of float_,", "a version that has it, where numpy is"),
        ),
        (
            "module 'numpy' has no attribute 'bool8'",
            ("what numpy has in place of bool8,", "a version that has it, where numpy is"),
        ),
        (
            "cannot import name 'Monitor' from 'gym.wrappers' (/v/site-packages/gym/wrappers.py)",
            ("what gym.wrappers has in place of Monitor,", "that has it, where gym is a library"),
        ),
        (
            "module 'pkgutil' has no attribute 'ImpImporter'",
            ("what pkgutil has in place of ImpImporter,", "a Python that has it with --python"),
        ),
    ],
)
def test_name_that_a_package_has_no_longer_is_a_matter_of_versions(
    message: str, names: tuple[str, ...]
) -> None:
    remedy = remedy_of(ErrorValue("builtins.AttributeError", message), PYTHON)
    assert remedy is not None
    assert all(each in remedy[0] for each in names)


@pytest.mark.parametrize(
    "message",
    [
        (
            "cannot import name 'Arm' from partially initialized module 'arms' (most likely due to a"
            " circular import) (/home/me/arms.py)"
        ),
        (
            "partially initialized module 'arms' has no attribute 'Arm' (most likely due to a circular"
            " import)"
        ),
        "'Arm' object has no attribute 'world'",
    ],
)
def test_other_names_that_are_missing_are_no_matter_of_versions(message: str) -> None:
    assert remedy_of(ErrorValue("builtins.AttributeError", message), PYTHON) is None


def test_a_relative_path_is_said_to_begin_where_the_process_was_started() -> None:
    error = ErrorValue("builtins.FileNotFoundError", "No such file or directory: 'town.xml'")
    remedy = remedy_of(error, "")
    assert remedy is not None
    assert "town.xml" in remedy[0]
    assert "Path(__file__).parent" in remedy[0]


@pytest.mark.parametrize(
    "error",
    [
        None,
        ErrorValue("builtins.ValueError", "size"),
        ErrorValue("builtins.OSError", "No such file or directory: 'x'"),
    ],
)
def test_other_errors_have_none(error: ErrorValue | None) -> None:
    assert remedy_of(error, PYTHON) is None


@pytest.mark.parametrize(
    ("kind", "message", "words"),
    [
        (
            "FileNotFoundError",
            "[Errno 2] No such file or directory: '/v/lib/python3.11/site-packages/grid/maze.png'",
            "put /v/lib/python3.11/site-packages/grid/maze.png there: it does not come with",
        ),
        ("FileNotFoundError", "[Errno 2] No such file or directory: '/tmp/shop-1/shop.db'", ""),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'levels.json'", ""),
        ("AttributeError", "module 'numpy' has no attribute 'bool8'", "use what numpy has"),
        ("ModuleNotFoundError", "No module named 'cv2'", "install what provides cv2"),
        ("ValueError", "No module named 'cv2'", ""),
    ],
)
def test_error_of_a_call_has_a_cure_where_no_other_call_is_its_reason(
    kind: str, message: str, words: str
) -> None:
    cure = cure_of_call(ErrorValue(f"builtins.{kind}", message), PYTHON)
    assert cure.startswith(words)
    assert bool(cure) == bool(words)


def test_error_of_a_call_that_is_not_known_has_no_cure() -> None:
    assert not cure_of_call(None, PYTHON)


def test_call_that_names_a_command_is_cured_by_it() -> None:
    message = 'pygame is not installed, run `pip install "gymnasium[classic-control]"`'
    error = ErrorValue("gymnasium.error.DependencyNotInstalled", message)
    command = f"{PYTHON} -m pip install 'gymnasium[classic-control]'"
    assert commands_of_call(error, PYTHON) == (command,)
    assert cure_of_call(error, PYTHON) == "install what is missing, as the error says."
    assert commands_of_call(ErrorValue("builtins.ValueError", "no fuel"), PYTHON) == ()
    assert commands_of_call(None, PYTHON) == ()


def test_environment_that_has_moved_is_installed_from_its_project() -> None:
    message = (
        "The mujoco v2 and v3 based environments have been moved to the gymnasium-robotics project"
        " (https://github.com/Farama-Foundation/gymnasium-robotics)."
    )
    remedy = remedy_of(ErrorValue("builtins.ImportError", message), PYTHON)
    assert remedy is not None
    text, commands = remedy
    assert "gymnasium_robotics:Id-v0" in text
    assert commands == (f"{PYTHON} -m pip install gymnasium-robotics",)


@pytest.mark.parametrize(
    ("identifier", "package"),
    [
        ("MiniGrid-Empty-5x5-v0", ("minigrid", "minigrid")),
        ("FetchReachDense-v2", ("gymnasium-robotics", "gymnasium_robotics")),
        ("highway-fast-v0", ("highway-env", "highway_env")),
        ("PandaReach-v3", ("panda-gym", "panda_gym")),
        ("CartPole-v1", None),
        ("Maze-v0", None),
        ("my/MiniGrid-v0", None),
        ("Pandas-v0", None),
    ],
)
def test_package_is_named_only_for_ids_that_it_registers(
    identifier: str, package: tuple[str, str] | None
) -> None:
    assert publisher(identifier) == package


def test_display_may_be_a_virtual_one() -> None:
    message = "no display name and no $DISPLAY environment variable"
    text, commands = remedy_of(ErrorValue("_tkinter.TclError", message), PYTHON) or ("", ())
    assert "below a virtual one, as by xvfb-run" in text
    assert commands == ("xvfb-run -a envdoctor ...",)
