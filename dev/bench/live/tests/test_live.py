"""Meter, bill, order and report, without any agent."""

import doctest
import json
import random
import tempfile
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from live import bill as bills
from live import manifest as manifests
from live import meter as meters
from live import report as reports
from live.campaign import Campaign
from live.meter import Meter, Metered, Usage
from live.report import complete, cost_ratio, report, solved_difference, verdict

MANIFEST = manifests.read(Path(__file__).resolve().parent.parent / "manifest.json")
PRICES = {"model": {"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75, "cache_write_1h": 6.0}}


def load_tests(loader, tests, pattern):
    for module in (meters, bills):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Provider(BaseHTTPRequestHandler):
    """Answers with what the server holds, and keeps what it was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.append(self.headers.get("x-api-key"))
        status, kind, pieces = self.server.reply
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


class Metering(unittest.TestCase):
    def setUp(self):
        self.provider = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        self.provider.bodies, self.provider.keys = [], []
        Thread(target=self.provider.serve_forever, daemon=True).start()
        self.addCleanup(self.provider.server_close)
        self.addCleanup(self.provider.shutdown)

    def ask(self, meter, path, body):
        request = urllib.request.Request(meter.url + path, body, {"x-api-key": "sk-secret", "Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
            return reply.read()

    def test_bytes_pass_unchanged_both_ways_and_a_streams_usage_is_read(self):
        events = [b'data: {"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":40,',
                  b'"cache_creation":{"ephemeral_1h_input_tokens":10},"output_tokens":1}}}\n\n',
                  b'data: {"type":"message_delta","usage":{"output_tokens":30}}\n\n']
        self.provider.reply = (200, "text/event-stream", events)
        body = b'{ "model": "m",  "tools": [] }'
        with Meter(f"http://127.0.0.1:{self.provider.server_port}") as meter:
            self.assertEqual(self.ask(meter, "/v1/messages?beta=true", body), b"".join(events))
        self.assertEqual((self.provider.bodies, self.provider.keys), ([body], ["sk-secret"]))
        metered, = meter.requests
        self.assertEqual((metered.model, metered.status, metered.usage), ("m", 200, Usage(5, 30, 10, 100, 30)))
        self.assertNotIn("sk-secret", repr(meter.requests))

    def test_what_is_not_billed_is_not_counted_and_an_answer_without_usage_is_known_to_have_none(self):
        self.provider.reply = (200, "application/json", [b'{"input_tokens": 9}'])
        with Meter(f"http://127.0.0.1:{self.provider.server_port}") as meter:
            self.ask(meter, "/v1/messages/count_tokens", b"{}")
            self.assertEqual(meter.requests, [])
            self.ask(meter, "/v1/messages", b'{"model": "m"}')
        self.assertEqual([request.usage for request in meter.requests], [None])
        self.assertIsNone(bills.bill(meter.requests, PRICES).cost)

    def test_a_provider_that_is_away_is_502(self):
        with Meter("http://127.0.0.1:1") as meter, self.assertRaises(urllib.error.HTTPError) as caught:
            self.ask(meter, "/v1/messages", b"{}")
        self.assertEqual((caught.exception.code, meter.unreachable), (502, 1))
        caught.exception.close()


class Bills(unittest.TestCase):
    def test_what_another_run_left_in_the_cache_is_priced_as_written(self):
        first = Metered("model", "t", 200, Usage(input=0, cache_write=100, cache_read=1000, output=10))
        second = Metered("model", "t", 200, Usage(input=0, cache_write=50, cache_read=1100, output=10))
        charged = bills.bill([first, second], PRICES)
        self.assertEqual((charged.requests, charged.foreign), (2, 1000))
        self.assertAlmostEqual(charged.cost, (150 * 3.75 + 2100 * 0.3 + 20 * 15) / 1e6)
        self.assertAlmostEqual(charged.cold_cost - charged.cost, 1000 * 3.45 / 1e6)

    def test_another_conversation_of_the_run_has_nothing_of_the_first(self):
        one = Metered("model", "t", 200, Usage(cache_write=1000))
        other = Metered("model", "u", 200, Usage(cache_read=900))
        self.assertEqual(bills.bill([one, other], PRICES).foreign, 900)

    def test_refused_requests_cost_nothing_and_unknown_models_have_no_price(self):
        refused, strange = Metered("model", "t", 529, None), Metered("who", "t", 200, Usage(input=1))
        charged = bills.bill([refused, strange], PRICES)
        self.assertEqual((charged.requests, charged.unpriced, charged.cost), (1, ["who"], None))


def row(task, arm, repetition, cost, solved=True, status="ok"):
    return {"task": task, "arm": arm, "repetition": repetition, "cost": cost, "cold_cost": cost, "solved": solved, "status": status, "requests": 1}


class Reports(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, reports, "DRAWS", reports.DRAWS)
        reports.DRAWS = 400

    def rows(self, factor, solved=lambda dice: True, tasks=17, repetitions=10):
        dice = random.Random(5)
        cost = lambda: dice.lognormvariate(-1, 0.2)
        return [row(f"t{task}", arm, at, cost() * (factor if arm == "standard" else 1), solved(dice) if arm == "standard" else True)
                for task in range(tasks) for at in range(repetitions) for arm in ("none", "again", "standard")]

    def estimates(self, rows):
        blocks = complete(rows, ["none", "again", "standard"])
        return cost_ratio(blocks, "standard", "geometric", 0.95), solved_difference(blocks, "standard", 0.95)

    def test_a_fifth_less_cost_is_found_in_so_many_runs_and_no_difference_is_not(self):
        cost, solved = self.estimates(self.rows(0.8))
        self.assertLess(cost.high, 0.9)
        self.assertGreater(cost.low, 0.7)
        self.assertEqual(verdict(cost, solved), "solves no less; cheaper")
        cost, solved = self.estimates(self.rows(1.0))
        self.assertTrue(cost.low < 1 < cost.high, cost)
        self.assertIn("no difference shown", verdict(cost, solved))

    def test_cheap_failures_are_called_failures(self):
        cost, solved = self.estimates(self.rows(0.5, lambda dice: dice.random() < 0.6))
        self.assertEqual(verdict(cost, solved), "solves less; cheaper")

    def test_only_blocks_with_every_arm_count_and_broken_runs_are_told(self):
        rows = [row("a", "none", 1, 1.0), row("a", "standard", 1, 1.0, status="arm_error"), row("b", "none", 1, 1.0), row("b", "standard", 1, 0.5)]
        self.assertEqual(list(complete(rows, ["none", "standard"])), ["b"])
        text = report("thol", "total", rows, ["none", "standard"], is_dry=False)
        self.assertIn("standard arm_error 1", text)
        self.assertNotIn("DRY RUN", text)
        self.assertIn("No block is complete", report("thol", "total", rows[:1], ["none", "standard"], is_dry=False))

    def test_equal_arms_that_differ_make_the_report_say_so(self):
        rows = self.rows(1.0)
        self.assertIn("as it should be", report("thol", "geometric", rows, ["none", "again", "standard"], is_dry=False))
        dear = [{**each, "cold_cost": each["cold_cost"] * 2} if each["arm"] == "again" else each for each in rows]
        self.assertIn("A/A control failed", report("thol", "geometric", dear, ["none", "again", "standard"], is_dry=False))


class Order(unittest.TestCase):
    def campaign(self, seed):
        class Tasks:
            def tasks(self):
                return ["a", "b", "c", "d"]

        return Campaign(MANIFEST, "thol", Tasks(), MANIFEST.arms, 3, "", Path("."), {}, seed)

    def test_every_block_has_every_arm_once_in_an_order_that_the_seed_decides(self):
        blocks = self.campaign(1).blocks()
        self.assertEqual(len(blocks), 12)
        self.assertEqual({tuple(sorted(arm.name for arm in arms)) for _, _, arms in blocks}, {tuple(sorted(arm.name for arm in MANIFEST.arms))})
        self.assertGreater(len({tuple(arm.name for arm in arms) for _, _, arms in blocks}), 6)
        self.assertEqual(blocks, self.campaign(1).blocks())
        self.assertNotEqual(blocks, self.campaign(2).blocks())


class TheManifest(unittest.TestCase):
    def test_it_names_arms_task_image_verifier_model_and_exact_versions(self):
        self.assertEqual([arm.name for arm in MANIFEST.arms], ["none", "again", "lossless", "standard", "distil"])
        for board in MANIFEST.boards.values():
            for key in ("image", "verifier", "model", "repetitions", "budget_usd", "tasks"):
                self.assertTrue(board[key], key)
        packages = [package for arm in MANIFEST.arms for package in arm.pip] + MANIFEST.boards["swebench"]["agent"]["pip"]
        self.assertTrue(all("==" in package for package in packages), packages)
        self.assertRegex(MANIFEST.boards["thol"]["harness"]["commit"], "^[0-9a-f]{40}$")

    def test_a_model_without_a_price_is_refused(self):
        value = {"arms": [{"name": "none", "what": ""}], "upstream": "", "key": "", "prices": {}, "boards": {"x": {"model": "m"}}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(value, file)
            file.flush()
            with self.assertRaises(SystemExit) as caught:
                manifests.read(Path(file.name))
        self.assertIn("no price", str(caught.exception))
