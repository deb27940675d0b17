"""The faults: what is done, at which places, and which codes have to be among what envdoctor tells
of it.

`here` names the places at which it is done in every process, without a manager and under those that
host in their own process, with the codes that are expected without a manager; `workers` those at
which only a manager's workers do it, with the codes expected under every start method. Nothing is
expected where a word is empty: then it is enough that the run goes on to its end, and nothing is
left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.matrix.cell import ALONE, WORKERS, Cell

IN_PROCESS = ("direct", "gymnasium-sync")
IN_WORKERS = ("direct", "gymnasium-async")
SB3_IN_PROCESS = ("direct", "sb3-dummy")
SB3_IN_WORKERS = ("direct", "sb3-subproc")
# Where a fault in every process leaves no manager to play.
BEFORE_MANAGERS = ("import", "constructor")

TIMEOUTS = {"hanging": 2.0}  # seconds; under workers, which take longer to start, twice as many
TIMEOUT = 10.0


@dataclass(frozen=True)
class Fault:
    """One fault. `sb3`: whether it is also tried under Stable-Baselines3's managers.
    `small_disk`: MB of the temporary directory.
    """

    deed: str
    what: str
    here: Mapping[str, str] = field(default_factory=dict)
    workers: Mapping[str, str] = field(default_factory=dict)
    sb3: bool = False
    small_disk: int = 0
    remark: str = ""

    def cells(self, sb3_python: str = "") -> Iterator[Cell]:
        """Every cell of this fault; those of Stable-Baselines3 with an interpreter that has it."""
        for place, codes in self.here.items():
            managers = (
                IN_PROCESS[:1]
                if place in BEFORE_MANAGERS or self.deed in UNBUILDABLE
                else IN_PROCESS
            )
            yield self._cell(place, ALONE, managers, codes)
        for place, codes in self.workers.items():
            yield self._cell(place, WORKERS, IN_WORKERS, codes)
        if sb3_python and self.sb3:
            for place in list(self.here)[-1:] if list(self.here)[-1:] != ["import"] else ():
                yield self._cell(place, ALONE, SB3_IN_PROCESS, "", sb3_python)
            for place in list(self.workers)[:1]:
                yield self._cell(place, WORKERS, SB3_IN_WORKERS, "", sb3_python)

    def _cell(
        self, place: str, where: str, managers: tuple[str, ...], codes: str, python: str = ""
    ) -> Cell:
        timeout = TIMEOUTS.get(self.deed.split(".")[0], TIMEOUT) * (
            2 if where == WORKERS or python else 1
        )
        return Cell(
            self.deed,
            place,
            where,
            managers,
            python,
            timeout,
            tuple(codes.split()),
            self.small_disk,
        )


#: Their class has nothing of an environment, or its constructor fails: no manager is played.
UNBUILDABLE = (
    "deceiving.spaces_that_raise",
    "deceiving.spaces_that_exit",
    "deceiving.metadata_raises",
    "deceiving.render_mode_raises",
    "deceiving.no_weak_references",
    "deceiving.becomes_another",
    "deceiving.metaclass_lies",
)

RAISED = {"step": "VEC008"}
DIED = {"step": "PRC003"}
HUNG = {"step": "HNG004"}

FAULTS = (
    # What raises
    Fault(
        "raising.plain",
        "raises RuntimeError",
        {
            "import": "REG002",
            "constructor": "MAK001",
            "close": "CLS001",
            "del": "CLS017",
            "atexit": "CLS017",
            "render": "",
            "step": "API001",
        },
        RAISED | {"constructor": "VEC001", "close": "CLS014"},
        sb3=True,
    ),
    Fault(
        "raising.base",
        "raises a BaseException of its own",
        {"import": "REG002", "constructor": "MAK001", "reset": "API001"},
        RAISED,
    ),
    Fault(
        "raising.keyboard",
        "raises KeyboardInterrupt",
        {"import": "REG002", "close": "CLS001", "step": "API001"},
        RAISED,
    ),
    Fault(
        "raising.system_exit",
        "calls sys.exit(3)",
        {"import": "REG002", "constructor": "MAK001", "reset": "API001"},
        RAISED,
    ),
    Fault("raising.generator_exit", "raises GeneratorExit", {"reset": "API001"}, RAISED),
    Fault(
        "raising.many_arguments",
        "raises what takes several arguments",
        {"step": "API001"},
        {"step": "VEC006"},
    ),
    Fault(
        "raising.unpicklable",
        "raises what holds a lock",
        {"step": "API001"},
        {"step": "PRC003 VEC006"},
        sb3=True,
    ),
    Fault(
        "raising.pickling_raises",
        "raises what raises a BaseException when pickled",
        {"step": "API001"},
        {"step": ""},
    ),
    Fault(
        "raising.str_raises",
        "raises what has no text",
        {"import": "REG002", "reset": "API001"},
        RAISED,
    ),
    Fault(
        "raising.str_exits",
        "raises what exits when asked for its text",
        {"reset": "API001"},
        RAISED,
    ),
    Fault(
        "raising.str_returns_number",
        "raises what answers with a number for its text",
        {"reset": "API001"},
    ),
    Fault("raising.recursive_repr", "raises what contains itself", {"reset": "API001"}, RAISED),
    Fault("raising.endless_cause", "raises what is its own cause's cause", {"reset": "API001"}),
    Fault("raising.huge_message", "raises with a message of 50 MB", {"reset": "API001"}),
    Fault(
        "raising.terminal_escapes",
        "raises with terminal escapes",
        {"constructor": "MAK001", "reset": "API001"},
        RAISED,
    ),
    Fault("raising.markup", "raises with markup of rich", {"reset": "API001"}),
    Fault("raising.html", "raises with HTML", {"reset": "API001"}),
    Fault("raising.nul", "raises with NUL", {"reset": "API001"}),
    Fault(
        "raising.surrogates",
        "raises with lone surrogates",
        {"import": "REG002", "reset": "API001"},
        RAISED,
    ),
    Fault("raising.deep_traceback", "raises at the end of 300 calls", {"reset": "API001"}),
    Fault("raising.recursion", "recurses until RecursionError", {"reset": "API001"}, RAISED),
    Fault("raising.group", "raises an exception group", {"reset": "API001"}, RAISED),
    Fault("raising.nameless", "raises a class without a module", {"reset": "API001"}, {"step": ""}),
    Fault("raising.memory_error", "raises MemoryError", {"reset": "API001"}),
    Fault("raising.warning", "raises a warning", {"reset": "API001"}),
    Fault("raising.in_thread", "raises in a thread", {"reset": "CLS017"}),
    Fault(
        "raising.missing_file",
        "opens a file that is not there",
        {"constructor": "MAK001", "reset": "API001"},
    ),
    # What hangs
    Fault(
        "hanging.wait",
        "waits for ever",
        {
            "import": "HNG001",
            "constructor": "HNG002",
            "step": "HNG004",
            "render": "HNG005",
            "close": "CLS004",
            "del": "",
            "atexit": "",
            "reset": "HNG003",
        },
        HUNG | {"constructor": "HNG002", "close": "CLS004"},
        sb3=True,
    ),
    Fault("hanging.spin", "runs in a circle", {"step": "HNG004"}),
    Fault(
        "hanging.interpreter_lock",
        "waits in C with the interpreter's lock",
        {"import": "HNG001", "reset": "HNG003"},
        HUNG,
    ),
    Fault("hanging.regular_expression", "a regular expression without end", {"reset": "HNG003"}),
    Fault("hanging.blocked_signals", "waits with every signal blocked", {"reset": "HNG003"}, HUNG),
    Fault(
        "hanging.deaf", "waits and ignores every signal", {"close": "CLS004"}, {"close": "CLS004"}
    ),
    Fault("hanging.stubborn", "waits and swallows every exception", {"reset": "HNG003"}, HUNG),
    Fault("hanging.stopped", "stops itself (SIGSTOP)", {"reset": "HNG003"}, HUNG),
    Fault("hanging.lock_across_fork", "forks while a lock is held", {"reset": "HNG003"}, HUNG),
    Fault("hanging.empty_pipe", "reads a pipe that is never written to", {"reset": "HNG003"}),
    Fault("hanging.chatty", "hangs and prints without end", {"reset": "HNG003"}),
    Fault(
        "hanging.thread",
        "starts a non-daemon thread that never ends",
        {"import": "", "reset": "CLS007"},
        {"reset": ""},
    ),
    # What dies
    Fault(
        "dying.segfault",
        "SIGSEGV",
        {
            "import": "REG002",
            "constructor": "PRC003",
            "reset": "PRC003",
            "render": "PRC003",
            "close": "PRC003",
            "del": "PRC003",
            "atexit": "CLS017",
            "step": "PRC003",
        },
        DIED | {"constructor": "PRC003", "close": "PRC003"},
        sb3=True,
    ),
    Fault("dying.abort", "SIGABRT", {"step": "PRC003"}, DIED),
    Fault("dying.bus", "SIGBUS", {"step": "PRC003"}),
    Fault("dying.illegal", "SIGILL", {"reset": "PRC003"}),
    Fault(
        "dying.kill",
        "SIGKILL, as the kernel's killer sends it",
        {"import": "REG002", "step": "PRC003"},
        DIED,
        sb3=True,
    ),
    Fault(
        "dying.terminate",
        "SIGTERM to itself",
        {"step": "PRC003"},
        {"step": "VEC008"},
        remark=(
            "in a worker it is reported as the manager's EOFError, "
            "because managers end their workers in the same way"
        ),
    ),
    Fault("dying.interrupt_group", "SIGINT to its process group", {"step": ""}, {"step": ""}),
    Fault(
        "dying.kill_group", "SIGKILL to its process group", {"step": "PRC003"}, {"step": "PRC003"}
    ),
    Fault(
        "dying.kill_parent",
        "SIGKILL to its parent",
        {"step": "DOC002"},
        {"step": ""},
        remark=(
            "not mended: the parent is what reports how "
            "the process ends, so that scenario is lost (DOC002); everything is ended all the same"
        ),
    ),
    Fault("dying.stop_parent", "SIGSTOP to its parent", {"step": ""}, {"step": ""}),
    Fault(
        "dying.exit_three",
        "os._exit(3)",
        {"import": "REG002", "constructor": "PRC003", "close": "PRC003", "step": "PRC003"},
        DIED,
    ),
    Fault("dying.exit_zero", "os._exit(0)", {"import": "REG002", "step": "PRC003"}, DIED, sb3=True),
    Fault("dying.exit_in_thread", "os._exit(4) in a thread", {"step": "PRC003"}),
    Fault("dying.execute", "becomes another program (exec)", {"step": "PRC003"}, DIED),
    Fault("dying.python_stack", "overflows the stack of Python", {"step": "PRC003"}),
    Fault("dying.c_stack", "overflows the stack of C", {"step": "PRC003"}, DIED),
    Fault("dying.double_free", "frees memory twice", {"close": "PRC003", "step": "PRC003"}, DIED),
    Fault("dying.corrupted_object", "overwrites an object", {"step": "PRC003"}),
    Fault("dying.end_of_processor_time", "SIGXCPU, as a batch system sends it", {"step": "PRC003"}),
    # What takes all there is
    Fault(
        "taking.memory",
        "takes memory without end",
        {"reset": "PRC003"},
        {"step": "PRC003"},
        remark="under a ceiling of 2 GB",
    ),
    Fault("taking.memory_at_once", "asks for 32 TB", {"reset": "API001"}, {"reset": "VEC008"}),
    Fault(
        "taking.memory_under_limit", "fills an address space that it limited", {"reset": "API001"}
    ),
    Fault(
        "taking.descriptors",
        "opens files until no descriptor is left",
        {"import": "MAK001", "reset": ""},
        {"reset": ""},
        sb3=True,
        remark="what is judged is the last life; here the first one takes all",
    ),
    Fault("taking.descriptors_for_good", "the same, with a hard limit", {"reset": ""}),
    Fault("taking.threads", "starts 200 threads", {"reset": "CLS007"}, {"reset": ""}),
    Fault("taking.zombies", "leaves 50 children unwaited for", {"reset": "PRC002"}),
    Fault("taking.ports", "listens on 50 ports", {"reset": "CLS009"}),
    Fault("taking.files", "makes 2000 temporary files", {"reset": "CLS010"}),
    Fault("taking.odd_names", "makes files with names that are not text", {"reset": "CLS010"}),
    Fault("taking.deep_folders", "nests folders deeper than any path may be", {"close": ""}),
    Fault("taking.locked_folders", "makes folders without permissions", {"reset": "CLS010"}),
    Fault(
        "taking.disk",
        "fills the disk of the temporary directory",
        {"reset": ""},
        small_disk=24,
        remark="a disk of 24 MB",
    ),
    Fault("taking.file_size", "lets no file grow (RLIMIT_FSIZE)", {"reset": ""}, {"reset": ""}),
    Fault(
        "taking.shared_memory_named",
        "leaves 32 MB of shared memory",
        {"reset": "CLS011"},
        {"reset": ""},
    ),
    Fault("taking.system_v_memory", "leaves System V memory", {"reset": "CLS011"}),
    Fault("taking.stdout_flood", "prints 100 MB", {"reset": ""}),
    Fault(
        "taking.stderr_flood", "prints 150 MB of tracebacks to stderr", {"reset": ""}, {"step": ""}
    ),
    Fault("taking.one_long_line", "prints a line of 20 MB", {"import": "", "reset": ""}),
    Fault("taking.processes", "starts 20 children", {"close": "CLS008"}),
    # What escapes
    Fault(
        "escaping.child", "leaves a child", {"import": "", "reset": "CLS008"}, {"reset": "PRC001"}
    ),
    Fault(
        "escaping.session",
        "leaves a child in a session of its own",
        {"reset": "CLS008"},
        {"reset": "PRC001"},
    ),
    Fault(
        "escaping.daemon",
        "leaves a daemon (double fork, setsid)",
        {"import": "", "reset": "CLS008"},
        {"reset": ""},
        sb3=True,
    ),
    Fault(
        "escaping.nameless",
        "leaves a daemon without any environment variable",
        {"reset": "CLS008"},
        {"reset": ""},
    ),
    Fault(
        "escaping.stubborn",
        "leaves a child that ignores every signal",
        {"reset": "CLS008"},
        {"reset": ""},
    ),
    Fault(
        "escaping.holds_everything",
        "leaves a child that holds every pipe and file",
        {"reset": "CLS008"},
        {"reset": ""},
    ),
    Fault("escaping.stopped", "leaves a stopped child", {"reset": "CLS008"}),
    Fault(
        "escaping.many_quick",
        "hundreds of quick children, again and again",
        {"reset": ""},
        {"reset": ""},
    ),
    Fault(
        "escaping.hydra", "a child that is another process every 2 ms", {"reset": ""}, {"reset": ""}
    ),
    Fault("escaping.twin", "forks and forgets to end the child", {"reset": ""}, {"reset": ""}),
    Fault("escaping.twin_in_reset_only", "forks, and the child raises", {"reset": ""}),
    Fault(
        "escaping.pool", "starts a process of multiprocessing", {"reset": ""}, {"reset": "PRC004"}
    ),
    Fault("escaping.misleading_name", "leaves a child with a misleading name", {"reset": "CLS008"}),
    Fault("escaping.holds_folder", "leaves a child that goes on making files", {"close": "CLS008"}),
    # What meddles
    Fault(
        "meddling.close_standard",
        "closes descriptors 0 to 2",
        {"import": "", "close": ""},
        {"reset": ""},
    ),
    Fault(
        "meddling.close_all", "closes every descriptor", {"import": "", "reset": ""}, {"close": ""}
    ),
    Fault("meddling.reopen_standard", "opens 0 to 2 anew", {"reset": ""}),
    Fault(
        "meddling.replace_all",
        "puts a socket in the place of every descriptor",
        {"reset": ""},
        {"reset": ""},
    ),
    Fault("meddling.unblock_all", "makes every descriptor non-blocking", {"reset": ""}),
    Fault(
        "meddling.ignore_signals",
        "ignores every signal",
        {"reset": "SFX001"},
        {"reset": ""},
        sb3=True,
    ),
    Fault(
        "meddling.raise_on_signals", "raises on every signal", {"reset": "SFX001"}, {"reset": ""}
    ),
    Fault(
        "meddling.default_signals_of_python",
        "ignores SIGCHLD, takes SIGINT and SIGPIPE from Python",
        {"reset": "SFX001"},
        {"reset": ""},
    ),
    Fault(
        "meddling.block_signals", "blocks every signal", {"import": "", "reset": ""}, {"reset": ""}
    ),
    Fault("meddling.alarm", "sets an alarm that kills", {"reset": "PRC003"}),
    Fault(
        "meddling.alarm_that_raises",
        "sets an alarm that raises, again and again",
        {"reset": ""},
        remark=(
            "not mended: it raises in the middle "
            "of any code; where that is envdoctor's own code, the scenario is lost (DOC002)"
        ),
    ),
    Fault(
        "meddling.lost_directory",
        "removes its working directory",
        {"import": "", "reset": ""},
        {"reset": ""},
    ),
    Fault(
        "meddling.lost_temporary_directory",
        "removes the temporary directory",
        {"reset": ""},
        {"reset": ""},
    ),
    Fault(
        "meddling.lost_run_directory",
        "removes everything around it",
        {"reset": "DOC002"},
        remark=(
            "not mended: the journal is gone, so that "
            "scenario is lost (DOC002); the next one finds everything again"
        ),
    ),
    Fault("meddling.scribbles", "writes into every file around it", {"reset": ""}, {"reset": ""}),
    Fault(
        "meddling.read_only_temporary_directory",
        "takes the permissions of the temporary directory",
        {"reset": ""},
    ),
    Fault("meddling.umask", "umask 777", {"import": "", "reset": ""}, {"reset": ""}),
    Fault(
        "meddling.no_variables", "os.environ.clear()", {"import": "", "reset": ""}, {"reset": ""}
    ),
    Fault("meddling.odd_variables", "a variable that is not text", {"reset": ""}),
    Fault("meddling.few_descriptors", "allows itself three descriptors", {"reset": ""}),
    Fault("meddling.no_processes", "allows itself no processes", {"reset": ""}),
    Fault(
        "meddling.little_processor_time",
        "allows itself one second of processor time",
        {"reset": "PRC003"},
    ),
    Fault("meddling.undumpable", "PR_SET_DUMPABLE off", {"reset": ""}, {"reset": ""}),
    Fault("meddling.nice", "nice 19", {"reset": ""}),
    Fault("meddling.one_core", "binds itself to one core", {"reset": ""}),
    Fault("meddling.change_locale", "changes the locale", {"reset": ""}),
    Fault(
        "meddling.patch_os",
        "replaces functions of os",
        {"reset": ""},
        {"reset": ""},
        remark=(
            "not mended: sensors need what it replaces, so that scenario is lost (DOC002), and"
            " nothing is accused; the same for open(), import and clocks that raise"
        ),
    ),
    Fault(
        "meddling.patch_json",
        "replaces json.dumps and json.loads",
        {"import": "", "reset": ""},
        {"reset": ""},
    ),
    Fault("meddling.patch_time", "stops every clock", {"import": "", "reset": ""}, {"reset": ""}),
    Fault("meddling.patch_time_to_fail", "has every clock raise", {"reset": ""}),
    Fault("meddling.patch_gc", "has the garbage collector's functions raise", {"reset": ""}),
    Fault("meddling.patch_builtins", "has open() and print() raise", {"reset": ""}, {"reset": ""}),
    Fault("meddling.patch_threading", "has threading.enumerate() raise", {"reset": ""}),
    Fault("meddling.patch_import", "has import raise", {"reset": ""}),
    Fault("meddling.patch_numpy", "has numpy.asarray() raise", {"reset": ""}),
    Fault(
        "meddling.shadow",
        "has modules named as the standard library's, first on the path",
        {"import": "", "reset": ""},
    ),
    Fault("meddling.no_module_path", "empties sys.path and sys.meta_path", {"reset": ""}),
    Fault("meddling.forgotten_modules", "empties sys.modules", {"reset": ""}),
    Fault("meddling.gc_off", "gc.disable()", {"reset": ""}, {"reset": ""}),
    Fault("meddling.gc_frozen", "gc.freeze()", {"reset": ""}),
    Fault("meddling.gc_callbacks", "a callback of the collector that raises", {"reset": ""}),
    Fault("meddling.trace", "sys.settrace() with what raises", {"reset": ""}),
    Fault("meddling.profile", "sys.setprofile()", {"reset": ""}, {"reset": ""}),
    Fault("meddling.recursion_limit", "a recursion limit of 15 more calls", {"reset": ""}),
    Fault("meddling.stdout_replaced", "sets sys.stdout to None", {"import": "", "reset": ""}),
    Fault(
        "meddling.stdout_closed", "closes sys.stdout and sys.stderr", {"reset": ""}, {"reset": ""}
    ),
    Fault("meddling.stdout_captured", "captures sys.stdout and sys.stderr", {"reset": ""}),
    Fault("meddling.hooks", "replaces every hook of sys", {"import": "", "reset": ""}),
    Fault(
        "meddling.audit",
        "an audit hook that forbids to list folders and to start processes",
        {"reset": ""},
    ),
    Fault("meddling.warnings_as_errors", "warnings are errors, and it warns", {"reset": "API001"}),
    Fault(
        "meddling.warnings_become_errors",
        "warnings are errors",
        {"import": "", "reset": ""},
        {"reset": ""},
    ),
    Fault("meddling.no_logging", "switches logging off", {"reset": ""}),
    Fault("meddling.faulthandler_off", "switches the fault handler off", {"reset": ""}),
    Fault("meddling.fork_handlers", "handlers at fork that raise", {"reset": ""}, {"reset": ""}),
    Fault("meddling.forgotten_exits", "forgets what runs at exit", {"reset": ""}),
    Fault("meddling.switch_interval", "no thread gives way any more", {"reset": ""}),
    Fault(
        "meddling.start_method", "sets multiprocessing's start method", {"import": "", "reset": ""}
    ),
    Fault("meddling.subreaper", "becomes a subreaper", {"reset": ""}),
    Fault(
        "meddling.terminal", "reaches for the terminal", {"import": "", "reset": ""}, {"reset": ""}
    ),
    # What deceives
    *(
        Fault(
            f"deceiving.{name}",
            what,
            {"class": codes},
            {"class": ""} if name in IN_WORKERS_TOO else {},
            sb3=name == "class_lies",
        )
        for IN_WORKERS_TOO in [
            (
                "spaces_that_change",
                "class_lies",
                "raising_observation",
                "one_for_all",
                "reset_returns_nothing",
                "raising_info",
            )
        ]
        for name, what, codes in (
            ("large_observation", "observations of 2 GB", ""),
            ("nan_observation", "observations that are not numbers", ""),
            ("raising_observation", "observations of which nothing can be asked", "API001"),
            ("ragged_observation", "ragged observations", "API001"),
            ("object_observation", "observations of objects", "API001"),
            ("endless_info", "an info without end", ""),
            ("info_of_itself", "an info that contains itself", ""),
            ("nested_info", "an info nested 20,000 deep", ""),
            ("raising_info", "an info of which nothing can be asked", ""),
            ("info_is_none", "no info", "API001"),
            ("reset_returns_nothing", "reset() returns nothing", "API001"),
            ("reset_returns_five", "reset() returns five values", "API001"),
            ("step_returns_nothing", "step() returns nothing", "API001"),
            ("step_returns_three", "step() returns three values", "API001"),
            ("step_returns_texts", "step() returns texts", "API001"),
            ("spaces_that_change", "another observation space each time", ""),
            ("actions_that_change", "another action space each time", ""),
            ("spaces_that_raise", "a space that raises", "MAK001"),
            ("spaces_that_exit", "a space that exits", ""),
            ("no_spaces", "no action space", "API001"),
            ("space_without_samples", "a space whose sample() raises", ""),
            ("space_of_anything", "a space that answers everything", "API001"),
            ("unwrapped_raises", "`unwrapped` raises", ""),
            ("unwrapped_is_nothing", "`unwrapped` is None", ""),
            ("unwrapped_is_anything", "`unwrapped` answers everything", ""),
            ("spec_raises", "`spec` raises", ""),
            ("metadata_raises", "`metadata` raises", ""),
            ("metadata_is_anything", "`metadata` answers everything", ""),
            ("render_mode_raises", "`render_mode` raises", ""),
            ("nan_seed", "a seed that is not a number", ""),
            ("close_is_no_method", "close is a number", ""),
            ("truth_raises", "bool() of it raises", ""),
            ("repr_raises", "repr() of it raises", ""),
            ("hash_raises", "hash() of it raises", ""),
            ("length_is_negative", "a negative length", ""),
            ("copies_raise", "copying it raises", ""),
            ("reduce_exits", "pickling it exits", ""),
            ("class_lies", "`__class__` lies", ""),
            ("class_raises", "`__class__` raises", ""),
            ("equality_raises", "`__eq__` raises", ""),
            ("answers_everything", "`__getattr__` answers everything", ""),
            ("refuses_unknown_names", "`__getattr__` raises RuntimeError", ""),
            (
                "no_weak_references",
                "no environment by inheritance, and without weak references",
                "",
            ),
            ("becomes_another", "`__new__` returns 42", "MAK001"),
            ("metaclass_lies", "a class without a name that refuses isinstance()", ""),
            ("resurrected", "comes back when it is collected", ""),
            ("one_for_all", "one instance for all", "RUS004"),
        )
    ),
)
