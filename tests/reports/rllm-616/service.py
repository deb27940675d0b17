"""A stand-in for a service of sandboxes: POST /sandboxes makes one, DELETE /sandboxes/ID ends it; at most 200."""

import http.server
import json
import os
import sys

SANDBOXES = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, value):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/sandboxes":
            if len(SANDBOXES) >= 200:
                return self.answer(429, {"error": "quota"})
            name = os.urandom(4).hex()
            SANDBOXES[name] = bytearray(1000)
            return self.answer(201, {"id": name})
        return self.answer(200, {"output": "ok"})

    def do_DELETE(self):
        SANDBOXES.pop(self.path.rsplit("/", 1)[-1], None)
        self.answer(200, {})

    def do_GET(self):
        self.answer(200, {"count": len(SANDBOXES)})

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()
