# gym-tetris: PRC003: reset() after close() ends the process
import subprocess
import sys

SCRIPT = """
import warnings
warnings.simplefilter("ignore")
import gym_tetris
env = gym_tetris.make("TetrisA-v0").unwrapped
env.reset()
env.close()
env.reset()
"""
codes = [subprocess.run([sys.executable, "-c", SCRIPT], check=False).returncode for _ in range(3)]
print(f"exit codes of three processes: {codes}")
assert all(code == -11 for code in codes)
