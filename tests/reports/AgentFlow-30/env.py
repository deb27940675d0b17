"""A tool runs code of the model; its time limit is a signal, and its errors are its answer."""

import contextlib
import io
import signal


def on_alarm(number, frame):
    raise TimeoutError("the code takes too long")


def execute(code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    return printed.getvalue().strip()


class PythonCoder:
    def __init__(self, seconds):
        self.seconds = seconds

    def run(self, code):
        if not self.seconds:
            return execute(code)
        try:
            earlier = signal.signal(signal.SIGALRM, on_alarm)
            signal.alarm(self.seconds)
            try:
                return execute(code)
            finally:
                signal.alarm(0)
                signal.signal(signal.SIGALRM, earlier)
        except Exception as error:
            return f"Error executing code: {error}"


class Agent:
    """Two turns: what the code printed, and a reward where that is the answer."""

    seconds = 10

    def reset(self, seed=None):
        self.tool = PythonCoder(self.seconds)
        self.turns = 0
        return "Print the sum of the numbers from 1 to 9."

    def step(self, action: str):
        self.turns += 1
        printed = self.tool.run(action)
        return printed, float(printed == "45"), self.turns == 2, False, {}

    def close(self):
        pass


class Cured(Agent):
    seconds = 0  # the sandbox has a limit of its own
