"""The laws that no linter knows. The layers are import-linter's: see pyproject.toml."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import envdoctor
from envdoctor.frameworks import PROFILES
from envdoctor.rules.engine.registry import all_rules
from tests.support import syntax

PACKAGE = Path(envdoctor.__file__).parent
BUNDLED = [
    PACKAGE / "plugins.py",
    *(file for part in ("model", "probe") for file in sorted((PACKAGE / part).rglob("*.py"))),
]

OLDEST = (3, 8)  # the oldest Python that may own an environment
# Lines of a body, and of a file, in which the formatter gives each argument its own.
MAX_FUNCTION, MAX_FILE = 60, 550

#: What a target may lack: it may be imported only where it is needed, or in a file that is imported
#: only there.
OPTIONAL = {
    "numpy",
    "cloudpickle",
    "psutil",
    "torch",
    "easydict",
    "pettingzoo",
    "uvicorn",
    *(profile.package for profile in PROFILES),
}
FOR_ONE_LIBRARY = {
    "gymnasium/traced.py",
    "gym/traced.py",
    "ding/wrapped.py",
    "rllib/runner_actor.py",
}

#: What came after Python 3.8 and is no syntax.
TOO_NEW = {
    "removeprefix",
    "removesuffix",
    "pairwise",
    "bit_count",
    "lcm",
    "to_thread",
    "zoneinfo",
    "graphlib",
    "tomllib",
}

#: The catalogue. Codes and names are what people write into their configuration: none is ever
#: removed or renamed.
CATALOGUE = {
    "API001": "forwarded",
    "API010": "undefined-name",
    "API011": "observation-reused",
    "API015": "call-fails",
    "API012": "collects-garbage-by-hand",
    "ASY001": "coroutine-never-awaited",
    "ASY002": "task-outlives-close",
    "ASY003": "client-left-open",
    "ASY005": "running-loop",
    "BUF001": "forecast-exceeds-memory",
    "BUF002": "grows-past-capacity",
    "BUF003": "stored-observations-alias",
    "BUF004": "keeps-autograd-graph",
    "BUF005": "storage-files-left",
    "CLS001": "close-raises",
    "CLS002": "close-before-reset-raises",
    "CLS003": "second-close-raises",
    "CLS004": "close-hangs",
    "CLS005": "close-slow",
    "CLS006": "close-leaves-descriptors",
    "CLS007": "close-leaves-threads",
    "CLS008": "close-leaves-processes",
    "CLS009": "close-leaves-ports",
    "CLS010": "close-leaves-temporary-files",
    "CLS011": "close-leaves-shared-memory",
    "CLS012": "instance-outlives-close",
    "CLS013": "freed-only-by-collector",
    "CLS014": "close-error-hidden",
    "CLS015": "close-never-called",
    "CLS016": "not-reopenable",
    "CLS017": "error-at-exit",
    "CLS018": "close-leaves-gpu-memory",
    "CLS019": "close-leaves-window",
    "CLS020": "failing-reset-leaves-something",
    "CLS021": "close-leaves-containers",
    "CLS022": "close-stops-in-wrapper",
    "DET001": "reset-not-seeded",
    "DET002": "step-not-reproducible",
    "DET003": "differs-between-processes",
    "DOC001": "sensor-missing",
    "DOC002": "scenario-lost",
    "DOC003": "rule-crashed",
    "DOC004": "known-defect",
    "DOC005": "manager-limit",
    "HNG001": "import-hangs",
    "HNG002": "constructor-hangs",
    "HNG003": "reset-hangs",
    "HNG004": "step-hangs",
    "HNG005": "render-hangs",
    "LEK001": "python-objects-grow",
    "LEK002": "python-memory-grows",
    "LEK003": "native-memory-grows",
    "LEK004": "mapped-memory-grows",
    "LEK005": "descriptors-grow",
    "LEK006": "threads-grow",
    "LEK007": "processes-grow",
    "LEK008": "temporary-files-grow",
    "LEK009": "shared-memory-grows",
    "LEK010": "gpu-memory-grows",
    "LEK011": "grows-until-collected",
    "LEK012": "still-filling",
    "LEK013": "containers-grow",
    "LEK014": "child-memory-grows",
    "MAK001": "constructor-fails",
    "MAK002": "constructor-takes-resources",
    "MAK003": "slow-constructor",
    "MAK004": "one-instance-per-process",
    "MAK005": "instances-interfere",
    "PRC001": "orphans-after-manager-close",
    "PRC002": "zombies-after-manager-close",
    "PRC003": "worker-died",
    "PRC004": "needs-children-in-daemon-worker",
    "REG001": "unknown-environment",
    "REG002": "import-fails",
    "REG003": "missing-in-spawned-worker",
    "REG004": "missing-in-forkserver-worker",
    "REG005": "factory-not-picklable",
    "REG009": "script-without-guard",
    "REG006": "spec-does-not-round-trip",
    "REG007": "registered-in-main-only",
    "REG008": "overrides-existing-id",
    "RUS001": "instance-not-reused",
    "RUS002": "replaced-without-close",
    "RUS003": "more-instances-than-expected",
    "RUS004": "one-instance-shared-by-workers",
    "SFX001": "signal-handler",
    "SFX002": "working-directory",
    "SFX003": "environment-variables",
    "SFX004": "global-random-state",
    "SFX005": "warning-filters",
    "SFX006": "stdout-noise",
    "SFX007": "thread-settings",
    "SFX008": "garbage-collector",
    "SFX009": "deleted-directory",
    "RUS005": "handle-rebuilt-every-reset",
    "TRN001": "instance-not-closed",
    "TRN002": "instance-closed-again",
    "TRN003": "new-instance-each-episode",
    "TRN004": "process-died",
    "TRN005": "call-does-not-return",
    "TRN006": "process-left-behind",
    "TRN007": "process-not-followed",
    "VEC001": "worker-does-not-start",
    "VEC013": "fails-off-main-thread",
    "VEC007": "memory-per-worker",
    "VEC005": "payload-not-picklable",
    "VEC006": "exception-not-picklable",
    "VEC002": "workers-share-a-seed",
    "VEC003": "global-random-shared-after-fork",
    "VEC004": "vector-differs-from-single",
    "VEC008": "fails-only-under-manager",
    "VEC009": "gpu-context-per-worker",
    "VEC010": "final-observation-lost",
    "VEC011": "final-info-lost",
    "VEC012": "episode-ends-otherwise",
}


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Every module that is imported, and the statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports"
            yield str(node.module), node


def inside_functions(tree: ast.AST) -> set[ast.AST]:
    functions = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return {inner for function in functions for inner in ast.walk(function)}


def for_type_checkers(tree: ast.AST) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING`, which no interpreter runs."""
    blocks = [
        node.body
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {inner for body in blocks for statement in body for inner in ast.walk(statement)}


@pytest.mark.parametrize("file", BUNDLED, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_bundled_files_are_old_python_and_need_nothing(file: Path) -> None:
    text = file.read_text()
    tree = ast.parse(text, feature_version=OLDEST)
    assert_old_python(text, tree)
    assert_needs_nothing(file, tree)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert "__file__" not in names, "it stands in a zip"
    assert list(generators_that_ask_the_collector(tree)) == [], "it takes all memory on Python 3.12"


def test_import_of_a_library_is_for_type_checkers_alone() -> None:
    guarded = "if TYPE_CHECKING:\n    import numpy\nelse:\n    import torch\n"
    tree = ast.parse(guarded)
    unread = for_type_checkers(tree)
    assert [name for name, statement in imports(tree) if statement in unread] == ["numpy"]


def generators_that_ask_the_collector(tree: ast.AST) -> Iterator[str]:
    """Generators that call gc.get_referents() or gc.get_referrers() themselves."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        inner = {
            node
            for nested in ast.walk(function)
            if nested is not function and isinstance(nested, (ast.FunctionDef, ast.Lambda))
            for node in ast.walk(nested)
        }
        own = [node for node in ast.walk(function) if node not in inner]
        asks = any(
            isinstance(node, ast.Attribute) and node.attr in ("get_referents", "get_referrers")
            for node in own
        )
        if asks and any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own):
            yield function.name


def test_generator_that_asks_the_collector_is_seen() -> None:
    code = "def walk(obj):\n    for held in gc.get_referents(obj):\n        yield held\n"
    assert list(generators_that_ask_the_collector(ast.parse(code))) == ["walk"]


def assert_old_python(text: str, tree: ast.Module) -> None:
    if any(not isinstance(node, ast.Expr) for node in tree.body):
        # Else `int | None` is evaluated, and fails there.
        assert "from __future__ import annotations\n" in text
    words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        name for name, _ in imports(tree)
    }
    assert not words & TOO_NEW
    for name, statement in imports(tree):
        if name == "functools" and isinstance(statement, ast.ImportFrom):
            assert "cache" not in {alias.name for alias in statement.names}


def assert_needs_nothing(file: Path, tree: ast.Module) -> None:
    late, unread = inside_functions(tree), for_type_checkers(tree)
    for name, statement in imports(tree):
        top = name.partition(".")[0]
        if top == "envdoctor":
            assert name.startswith(("envdoctor.model", "envdoctor.probe", "envdoctor.plugins")), (
                name
            )
            assert "probe" not in name or "probe" in file.parts, "values know nothing of the probe"
        elif statement in unread:
            continue
        elif top in OPTIONAL:
            assert statement in late or f"{file.parent.name}/{file.name}" in FOR_ONE_LIBRARY, name
        else:
            assert top in sys.stdlib_module_names, name


def test_nothing_is_long() -> None:
    long = []
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text()
        if len(text.splitlines()) > MAX_FILE:
            long.append(f"{file.relative_to(PACKAGE)}: {len(text.splitlines())} lines")
        functions = [
            node
            for node in syntax.nodes(text)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        lengths = [(node.name, node.end_lineno - node.body[0].lineno + 1) for node in functions]
        long += [
            f"{file.relative_to(PACKAGE)}: {name}() has {lines} lines"
            for name, lines in lengths
            if lines > MAX_FUNCTION
        ]
    assert not long


def modules_after(*arguments: str, exit_code: int = 0) -> set[str]:
    """The top-level modules that the command has imported when it ends."""
    code = "\n".join(
        [
            "import atexit, json, sys",
            (
                "atexit.register(lambda: sys.stderr.write('\\n' +"
                " json.dumps(sorted({name.partition('.')[0] for name in sys.modules}))))"
            ),
            f"sys.argv = ['envdoctor', *{arguments!r}]",
            "from envdoctor.cli.start import main",
            "main()",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == exit_code, done.stderr
    assert done.stdout or exit_code
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_imports_nothing_slow() -> None:
    assert not modules_after("--help") & {
        "rich",
        "gymnasium",
        "numpy",
        "psutil",
        "pydantic",
        "torch",
    }


def test_check_without_configuration_does_not_import_pydantic(tmp_path: Path) -> None:
    """Nor does it wait for one: it takes as long to import as all the rest of the start."""
    environment = tmp_path / "nothing_here.py"
    environment.write_text("")
    words = (
        "check",
        str(environment),
        "-k",
        "size=3",
        "--select",
        "CLS",
        "--managers",
        "direct",
        "-v",
        "--exit-zero",
    )
    assert "pydantic" not in modules_after(*words, exit_code=3)


@pytest.mark.parametrize(
    "arguments", [("rules",), ("explain", "CLS006"), ("schema",), ("check", "--help")], ids=" ".join
)
def test_no_command_imports_a_framework(arguments: tuple[str, ...]) -> None:
    assert not modules_after(*arguments) & {"gymnasium", "numpy", "gym", "torch"}


def test_the_doctor_does_not_import_what_it_examines(tmp_path: Path) -> None:
    """Nor the framework of it, nor any code of the probe."""
    (tmp_path / "examined_here.py").write_text(
        "class Env:\n    reset = step = lambda self, *_: (0, 0.0, False, {})\n"
    )
    code = "\n".join(
        [
            "import sys",
            (
                f"sys.argv = ['envdoctor', 'check', {str(tmp_path / 'examined_here.py')!r},"
                f" '--output', {str(tmp_path / 'report')!r}]"
            ),
            "from envdoctor.cli.start import main",
            "try: main()",
            "except SystemExit: pass",
            (
                "print([name for name in sys.modules if name.split('.')[0] in ('examined_here',"
                " 'gymnasium', 'numpy') or name.startswith('envdoctor.probe')])"
            ),
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_catalogue() -> None:
    assert CATALOGUE.items() <= {rule.code: rule.name for rule in all_rules().values()}.items()
