"""The validating mock of dev/mock, which answers from a script."""

import json
import os
import subprocess
import urllib.request


class Mock:
    """Runs in a `with` statement."""

    def __enter__(self):
        self.process = subprocess.Popen([os.environ["MOCK"]], stdout=subprocess.PIPE)
        self.url = json.loads(self.process.stdout.readline())["url"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def script(self, replies):
        self.ask("DELETE", "requests")
        self.ask("DELETE", "replies")
        self.ask("POST", "replies", replies)

    def requests(self):
        return self.ask("GET", "requests")

    def ask(self, method, what, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_mock/{what}", data, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
            return json.load(reply)
