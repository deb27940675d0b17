# scienceworld: CLS006 CLS010: close() leaves the pipes of its Java process and a temporary file
import os
import tempfile

from scienceworld import ScienceWorldEnv


def open_files():
    links = {number: "/proc/self/fd/" + number for number in os.listdir("/proc/self/fd")}
    return {number: os.readlink(link) for number, link in links.items() if os.path.exists(link)}


def life():
    task = ScienceWorldEnv()
    task.load("boil", 0, "easy")
    task.reset()
    task.step("look around")
    task.close()
    return task


life()  # what is taken once a process
before, files = open_files(), set(os.listdir(tempfile.gettempdir()))
task = life()
left = [text for number, text in open_files().items() if number not in before]
new = set(os.listdir(tempfile.gettempdir())) - files
print(f"after close(): {left}; temporary: {sorted(new)}")
assert left and new
