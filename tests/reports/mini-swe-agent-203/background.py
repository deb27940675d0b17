"""Healthy: close() has the container stopped in the background, as agents for software tasks do it (docker takes 10 s)."""

import subprocess

import env


class Shell(env.Shell):
    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self.container is not None:
            command = f"(sleep 10; docker stop {self.container} || docker rm -f {self.container}) >/dev/null 2>&1 &"
            subprocess.Popen(command, shell=True).wait()
            self.container = None
