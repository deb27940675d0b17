"""A recorder of videos: frames go to the process of an encoder."""

import subprocess
import sys

ENCODER = """
import sys
path = sys.argv[1]
with open(path, "wb") as file:
    frames = 0
    while True:
        frame = sys.stdin.buffer.read(3072)
        if not frame:
            break
        file.write(frame)
        frames += 1
    file.write(b"moov" + frames.to_bytes(4, "big"))
"""


class ImageEncoder:
    def __init__(self, path):
        self.proc = subprocess.Popen(
            [sys.executable, "-c", ENCODER, path], stdin=subprocess.PIPE, start_new_session=True
        )

    def capture_frame(self, frame):
        self.proc.stdin.write(frame.tobytes())

    def close(self):
        self.proc.stdin.close()
        self.proc.wait()


class VideoRecorder:
    def __init__(self, env, path):
        self.env, self.path = env, path
        self.encoder = None

    def capture_frame(self):
        if self.encoder is None:
            self.encoder = ImageEncoder(self.path)
        self.encoder.capture_frame(self.env.render())

    def close(self):
        if self.encoder is not None:
            self.encoder.close()
            self.encoder = None
