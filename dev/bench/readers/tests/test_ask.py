import json
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ASK = Path(__file__).resolve().parent.parent / "ask"


class Model(BaseHTTPRequestHandler):
    """Answers with the last word before the question mark, and keeps what it was asked."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["messages"][0]["content"])
        answer = self.server.asked[-1].split("?")[0].split()[-1]
        reply = json.dumps({"choices": [{"message": {"content": f" {answer}\n"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


class Ask(unittest.TestCase):
    def test_each_question_is_asked_alone_below_the_results_of_its_variant(self):
        cases = [{"case": 3, "file": 1, "results": {"raw": "A LONG TEXT", "forge": "SHORT", "small": "SMALL"},
                  "questions": {"3.1": "is it one?", "3.2": "is it two?"}}]
        with tempfile.TemporaryDirectory() as folder, ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
            server.asked = []
            threading.Thread(target=server.serve_forever, daemon=True).start()
            Path(folder, "asked.json").write_text(json.dumps(cases))
            subprocess.run([sys.executable, str(ASK), folder, folder, "--model", "some/model", "--variants", "raw,small",
                            "--endpoint", f"http://127.0.0.1:{server.server_port}/v1"], check=True, capture_output=True)
            server.shutdown()
            for variant in "raw", "small":
                answers = json.loads(Path(folder, f"some_model.{variant}.1.json").read_text())
                self.assertEqual(answers, {"3.1": "one", "3.2": "two"})
        self.assertEqual(["A LONG TEXT" in text for text in server.asked], [True, True, False, False])
        self.assertEqual(["SMALL" in text for text in server.asked], [False, False, True, True])
        self.assertFalse(any("SHORT" in text for text in server.asked))
        self.assertFalse(any("one?" in text and "two?" in text for text in server.asked))
