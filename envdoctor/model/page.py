"""The shared page of a watched process: counts that survive its death.

One file a process, mapped by the hook and read by the doctor: 64-bit whole numbers, a head
and then a row for each instance. Where a process makes more instances than `SINGLES`, later ones
share a row with those of their class and line.
"""

from __future__ import annotations

ROWS, WIDTH = 2048, 48  # rows of a page, and numbers of a row
SIZE = ROWS * WIDTH * 8  # bytes; a row that is not used costs no memory
FIRST = 2  # the first row of an instance: before it are the head, and one for what is not followed
SINGLES = 1500  # instances of one process that have a row of their own

#: Numbers of the head. MADE counts births, of which UNFOLLOWED have no row; USED rows are in use.
MAGIC, PID, USED, MADE, UNFOLLOWED = 0, 1, 2, 3, 4
#: The doctor writes into DUE what it wants to know; the process answers in one of the next calls of
#: an environment, and clears it. A reading: how many there were, Python's blocks, bytes of malloc,
#: containers that were made and not freed as the collector counts them, its full runs, and how
#: often what was called at that moment. LOOKED counts looks at the containers; TOOK are nanoseconds
#: of CPU that the last reading took.
DUE, READ, BLOCKS, MALLOC, TRACKED, FULL = 5, 6, 7, 8, 9, 10
AT_MADE, AT_RESETS, AT_STEPS, AT_HELD, LOOKED, TOOK = 11, 12, 13, 14, 15, 16
#: What may be due: a reading at a reset(), a reading at any call, a look at the containers.
AT_RESET, AT_ANY_CALL, LOOK = 1, 2, 3
#: SITES are lines that made vectorizers or started threads or processes; their rows are the last of
#: the page: the first site has the last row. AT_VECTORIZERS is how many vectorizers a reading found
#: made; so many sites are of VECTORIZERS.
SITES, AT_VECTORIZERS, VECTORIZERS = 17, 18, 19
#: 1 where a process that started others takes messages: without an environment and a vectorizer of
#: a library it answers then.
MESSAGES = 20
#: Bits of SOURCES: the global generators of numpy's and Python's that were seeded in this process,
#: or in one that forked it.
SEEDED_GLOBALLY = 21
#: How many messages of multiprocessing the process has waited for since its page was made.
RECEIVED = 22
#: 1 where all calls that seed Python's generator are noticed.
SEEDS_NOTICED = 23
TEMPORARY = 256  # files and folders of one line and process that are journaled
MARK = 0x656E7664  # in MAGIC, once the page is complete
SCRAP = WIDTH + 8  # where calls of what is not followed are counted

#: Numbers of a row. INSTANCES share it, besides those that were INHERITED from a parent by fork; of
#: them GONE were freed, CLOSED were closed at least once, and LOST were freed without a close.
#: RAISED counts calls that raised, UNMADE constructors that did, AGAIN calls of close() on what was
#: closed already, and not reset since. Each method has how many calls began, and how many came
#: back; AT_RAISE has how many of reset() and step() had come back when one raised last.
UNMADE, INHERITED, INSTANCES, GONE, CLOSED, LOST, RAISED, AGAIN = range(8)
MAKE, RESET, STEP, CLOSE = 8, 10, 12, 14
AT_RAISE = 16
#: The seed that reset() was given last before the first step, how many calls of reset() were given
#: one, and how many of them after that step, or one that the page cannot hold. BEGINNING is a
#: digest of what reset() returned last before that step, 0 where that is not known; VARIED counts
#: what later ones returned that is different.
SEED, SEEDED, RESEEDED, BEGINNING, VARIED = range(17, 22)
#: How many of those that were RESEEDED were given SEED again; of the first FEW of them, those that
#: returned what BEGINNING is of are ALIKE. FORCED is 1 where a wrapper gave them the seed.
SAME, ALIKE, FORCED = range(22, 25)
#: Digests of the states of random generators after the last reset() before the first step, by their
#: SOURCES; 0 where there is none. Bits of them: those that another state had after a later reset()
#: without a seed MOVED; those that such a reset() took back to this state are SET_BACK.
STATES, MOVED, SET_BACK = 25, 29, 30
SOURCES = ("random", "numpy.random", "torch", "self")
ACTION_SPACE = "action_space"  # what actions are drawn from, which has a generator of its own
PYTHON, NUMPY, OWN = 0, 1, 3  # among the sources: global generators, and what the instance holds
#: The id of the first generator that the instance holds; a digest of the constructor's arguments, 0
#: where they are not known; what was drawn from what its seed had decided, as bits: that reset()
#: drew, and returned fractions (BY_RESET); later ones with that seed, of those that are looked at,
#: took back what the episode before had drawn from (IN_EPISODES), or did not (OTHERWISE).
HOLDS, ARGUMENTS, DRAWN = range(31, 34)
BY_RESET, IN_EPISODES, OTHERWISE = 1, 2, 4
DRAWN_AGAIN = (IN_EPISODES, IN_EPISODES | BY_RESET)
#: A digest of the first ACTS calls of step() after the resets of which the number is a power of
#: two: what they were given, and what they returned; UNKNOWN_ACTS where that is not known. The
#: number of the step() after which no more are looked at.
ACTED, ACTED_UNTIL = 34, 35
#: Of its first ACTS calls of step(), those that came after one of another instance of its process.
TURNS = 36
#: How many calls of step() had come back when a reset() came back last.
AT_BEGINNING = 37
#: How many calls of reset() were given options.
OPTIONED = 38
#: Bits of SOURCES: the generators of numpy's that the operating system seeded, as far as is known;
#: one of the instance's own only where it was drawn from.
UNSEEDED = 39
#: Ends of those episodes, as step() said it: how many calls of step() had come back with the last
#: one; how many ENDS were seen, and after how many of them step() was called without a reset(), and
#: returned an end again, or raised (RUN_ON); how many such calls there were (PAST); bits of ENDINGS
#: that it said.
END_AT, ENDS, RUN_ON, PAST, ENDED_BY = range(40, 45)
ENDINGS = ("terminated", "truncated", "done")
#: How many calls of reset() that the script made came right after another one, without a step
#: between, and were given nothing.
IDLE = 45
#: How many calls of step() came back while reset() of the same instance ran: LunarLander's reset()
#: calls one: no step of the trainer's.
OWN_STEPS = 46
#: How many calls of step() that are looked at returned a reward that is NaN or infinite.
NOT_FINITE = 47
UNKNOWN_ACTS, ACTS = -1, 16
MOST_STEPS = 4096  # of an episode, and after its end, in which its end is looked for
FEW, LOOKS = 16, 4  # calls of reset() whose observations, and whose generators, are looked at
#: Numbers of a site's row: how many were made or started there, and are gone; how many vectorizers
#: were closed, and how many at most were kept without a close() and not stepped any more while a
#: later one was; how often such a one was stepped again; how many were there at the last reading,
#: or, of processes, when the last was started. WORKERS are processes that vectorizers started.
#: RUNNING is how many had been closed when the last one was made, where all the workers of each of
#: these still ran, and 0 where any had ended.
SITE_MADE, SITE_GONE, SITE_CLOSED, SITE_IDLE, SITE_REUSED, SITE_ALIVE, SITE_WORKERS = range(7)
SITE_RUNNING = 7
SITES_MOST = 64
METHODS = {"make": MAKE, "reset": RESET, "step": STEP, "close": CLOSE}
#: Of the resets between two looks, so many are for each element that a container gets, at most: one
#: that gets longer more rarely is named only for what its elements keep.
OFTEN = 2
