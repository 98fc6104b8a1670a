"""Tests of the decisions of tools/bench: python3 -m unittest, in this directory."""

import base64
import contextlib
import hashlib
import importlib.util
import io
import json
import math
import os
import pathlib
import select
import signal
import socket
import subprocess
import tempfile
import unittest
import unittest.mock

import connections
import fill
import report
import secure
from arguments import parse
from clients import Clients
from gate import Comparison
from measured import Answers, Failure, Load, Sample, Stage
from run import Run
from series import Series
from targets import Cluster, end, wait_until
from wrk2 import Wrk2

HOME = pathlib.Path("home")


def load(rate=1000, method="put", keys=20000):
    return Load(method, rate, 10, 64, keys, 100, "2/3", 0.9)


def stage(target, rate, number=1, requests=None, p99=5.0, longest=20.0, cpu=1.0, errors=0):
    due = rate * 10
    percentiles = {50: 1.0, 99: p99, 100: longest}
    answers = Answers(due if requests is None else requests, 10.0, due, percentiles, errors, 0, 1.0)
    return Stage(target, load(rate), number, answers, {"n0": Sample(cpu, 0, 1)})


def series(*stages):
    made = Series(None, [], 1, 50)
    made.stages = list(stages)
    return made


class HeldTests(unittest.TestCase):
    def test_what_waited_for_the_server_shows_in_the_longest_latency(self):
        slow = stage("a", 1000, requests=8000, longest=2000).answers
        self.assertFalse(slow.held)
        self.assertFalse(slow.asked_for_less)

    def test_requests_that_nothing_waited_for_were_never_asked_for(self):
        self.assertTrue(stage("a", 1000, requests=8000, longest=20).answers.asked_for_less)

    def test_what_has_errors_is_not_held_and_that_is_not_for_want_of_being_asked(self):
        for wrong in [stage("a", 1000, errors=1), stage("a", 1000, requests=8000, errors=1)]:
            self.assertFalse(wrong.answers.held)
            self.assertFalse(wrong.answers.asked_for_less)
        self.assertEqual(series(stage("a", 1000), stage("a", 2000, errors=1)).knee("a", "put"), 1000)

    def test_as_fast_as_possible_is_held_without_errors(self):
        self.assertTrue(Answers(10, 1, None, {}, 0, 0, 1.0).held)
        self.assertFalse(Answers(10, 1, None, {}, 0, 1, 1.0).held)

    def test_no_answer_at_all_is_not_held_and_has_its_line(self):
        silent = stage("a", 1000, requests=0, longest=0)
        self.assertFalse(silent.answers.held)
        self.assertFalse(silent.answers.asked_for_less)
        self.assertEqual(silent.cpu_micros, math.inf)
        self.assertIn("not held", report.latency_table([silent])[-1])
        report.resources_table([silent])

    def test_the_knee_is_below_the_first_rate_with_a_long_tail(self):
        made = series(stage("a", 1000), stage("a", 2000, p99=60), stage("a", 3000))
        self.assertEqual(made.knee("a", "put"), 1000)

    def test_no_rate_held_is_no_knee(self):
        self.assertIsNone(series(stage("a", 1000, requests=5000, longest=5000)).knee("a", "put"))


class ScriptedGenerator:
    """Holds rates up to a bound."""

    def __init__(self, bound):
        self._bound = bound

    def run(self, load, ports, clients):
        return stage("", load.rate, requests=min(load.rate, self._bound) * 10, longest=9000).answers


class Target:
    ports = [1]
    clients = Clients()

    def __init__(self, name):
        self.name = name

    def samples(self, meters_first):
        return {"n0": Sample(0, 0, 1)}


class SeriesTests(unittest.TestCase):
    def test_pairs_are_loaded_in_the_order_abba_until_a_rate_is_not_held(self):
        made = Series(ScriptedGenerator(1500), [Target("a"), Target("b")], 2, 50)
        with contextlib.redirect_stderr(io.StringIO()):
            made.run([load(1000), load(2000), load(3000)])
        self.assertEqual([s.target for s in made.stages], ["a", "b", "b", "a"] * 2)
        self.assertEqual({s.load.rate for s in made.stages}, {1000, 2000})


class GateTests(unittest.TestCase):
    def worse(self, *stages, bound=1.15):
        return self.gate(*stages, bound=bound)[0]

    def gate(self, *stages, bound=1.15):
        return Comparison(series(*stages), "old", "new", ["put"], 1).judge({"CPU/request": bound, "p99": None})

    def test_more_processor_time_than_the_bound_is_a_failure(self):
        self.assertEqual(len(self.worse(stage("old", 1000), stage("new", 1000, cpu=1.2))), 1)

    def test_less_than_the_bound_is_none(self):
        self.assertEqual(self.worse(stage("old", 1000), stage("new", 1000, cpu=1.1)), [])

    def test_one_round_that_is_worse_is_weighed_against_the_others(self):
        pairs = [stage("old", 1000, 1), stage("new", 1000, 1, cpu=1.25), stage("old", 1000, 2, cpu=1.25), stage("new", 1000, 2)]
        self.assertEqual(self.worse(*pairs), [])

    def test_rounds_that_contradict_each_other_are_a_doubt(self):
        pairs = [stage("old", 1000, 1), stage("new", 1000, 1, cpu=1.8), stage("old", 1000, 2, cpu=1.1), stage("new", 1000, 2)]
        worse, doubts = self.gate(*pairs)
        self.assertEqual((len(worse), len(doubts)), (0, 1))

    def test_what_does_not_hold_what_the_old_one_held_is_no_success(self):
        self.assertEqual(len(self.worse(stage("old", 1000), stage("new", 1000, requests=100, longest=9000))), 1)

    def test_no_rate_that_both_hold_is_a_doubt(self):
        slow = [stage(name, 1000, requests=100, longest=9000) for name in ("old", "new")]
        self.assertEqual([len(said) for said in self.gate(*slow)], [0, 1])
        self.assertEqual([len(said) for said in self.gate(slow[0], stage("new", 1000))], [0, 1])

    def test_a_generator_that_asked_the_new_one_for_less_proves_nothing(self):
        self.assertEqual([len(said) for said in self.gate(stage("old", 1000), stage("new", 1000, requests=100))], [0, 1])

    def test_errors_that_only_the_new_one_has_are_a_failure(self):
        good, wrong = [stage("old", 1000), stage("new", 1000)], [stage("old", 2000), stage("new", 2000, errors=3)]
        self.assertIn("PUT: 3 errors of new at 2000/s, none of old.", self.worse(*good, *wrong))
        self.assertIn("PUT: 3 errors of new at 2000/s, none of old.", self.worse(*wrong))

    def test_errors_of_both_or_of_the_old_one_are_none_of_the_new_one(self):
        good = [stage("old", 1000), stage("new", 1000)]
        self.assertEqual(self.gate(*good, stage("old", 2000, errors=1), stage("new", 2000, errors=3)), ([], []))
        self.assertEqual(self.gate(*good, stage("old", 2000, errors=1), stage("new", 2000)), ([], []))

    def test_a_rate_that_only_the_old_one_holds_is_a_failure(self):
        pairs = [stage("old", 1000), stage("new", 1000), stage("old", 2000), stage("new", 2000, requests=9000, longest=9000)]
        self.assertEqual(len(self.worse(*pairs)), 1)


class WarmUpTests(unittest.TestCase):
    def run_of(self, words, statuses, sockets):
        generator = unittest.mock.Mock()
        generator.run.return_value = Answers(10, 1.0, 10, {}, statuses, sockets, 1.0)
        return Run(HOME, parse(HOME, ["--warmup", "1", *words]), generator)

    def warm_up(self, run):
        with contextlib.redirect_stderr(io.StringIO()):
            run.warm_up(Target("a"), [load()])

    def test_wrong_statuses_are_compared_with_nothing(self):
        with self.assertRaisesRegex(Failure, "Warming up a: 2 answers"):
            self.warm_up(self.run_of(["--compare", "x", "y"], 1, 0))

    def test_otherwise_they_are_in_the_report(self):
        run = self.run_of([], 1, 3)
        run.generator.version.return_value = "generator"
        self.warm_up(run)
        self.assertIn("Warming up a: 2 answers had not the expected status, 6 times", "\n".join(program().how(run.arguments, run)))

    def test_none_is_not_mentioned(self):
        run = self.run_of(["--compare", "x", "y"], 0, 0)
        self.warm_up(run)
        self.assertEqual(run.warnings, [])


def program():
    """A module of its own each time."""
    spec = importlib.util.spec_from_file_location("program", pathlib.Path(__file__).with_name("__main__.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class StatusTests(unittest.TestCase):
    def status(self, error):
        made = program()
        with contextlib.redirect_stderr(io.StringIO()) as said, unittest.mock.patch.object(made.signal, "signal"):
            with unittest.mock.patch.object(made, "parse", side_effect=error):
                return made.main(), said.getvalue()

    def test_what_nobody_expected_is_not_taken_for_worse(self):
        status, said = self.status(ZeroDivisionError("oh"))
        self.assertEqual(status, 2)
        self.assertIn("Traceback", said)
        self.assertIn("ZeroDivisionError: oh", said)

    def test_a_failure_is_a_sentence(self):
        self.assertEqual(self.status(Failure("Oh.")), (2, "Oh.\n"))


class TargetTests(unittest.TestCase):
    def environment(self, node, starter="quorate", **variables):
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.dict(os.environ, variables):
            home = pathlib.Path(name)
            (home / "bin").mkdir()
            (home / "bin" / starter).write_text(node)
            return Cluster("a", home, home, 3, 1, 2).environment()

    def test_a_build_that_knows_caches_does_without(self):
        self.assertEqual(self.environment("unset QUORATE_AOT").get("QUORATE_AOT"), "off")
        self.assertEqual(self.environment("unset QUORATE_AOT", QUORATE_AOT="on").get("QUORATE_AOT"), "on")
        self.assertEqual(self.environment("unset QUORATE_AOT", starter="node").get("QUORATE_AOT"), "off")

    def test_an_older_one_never_hears_of_them(self):
        self.assertNotIn("QUORATE_AOT", self.environment("unset QUORATE_JAR", QUORATE_AOT="off"))

    def test_an_answer_in_the_place_of_a_process_that_has_ended_is_none(self):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log, subprocess.Popen(["true"]) as process:
            process.wait(10)
            with self.assertRaisesRegex(Failure, "It did not start"):
                wait_until(lambda: True, process, pathlib.Path(log.name), "It")

    @unittest.skipUnless(hasattr(os, "pidfd_open"), "Linux only")
    def test_what_a_killed_process_has_started_ends_too(self):
        command = ["bash", "-c", "sleep 300 & echo $!; wait"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as runner:
            left = os.pidfd_open(int(runner.stdout.readline()))
            try:
                runner.kill()
                runner.wait(10)
                end(runner)
                # The descriptor is readable when the process has ended.
                self.assertTrue(select.select([left], [], [], 10)[0])
            finally:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(left, signal.SIGKILL)
                os.close(left)


class FillTests(unittest.TestCase):
    def fill(self, script):
        with tempfile.TemporaryDirectory() as name:
            home = pathlib.Path(name)
            (home / "bin").mkdir()
            (home / "a").mkdir()
            (home / "bin" / "quorate").write_text("#!/bin/sh\n" + script)
            (home / "bin" / "quorate").chmod(0o755)
            fill.fill(Cluster("a", home, home, 2, 1, 2), 3000, 100, "2/2")
            return (home / "a" / "words").read_text(), (home / "a" / "lines").read_text().splitlines()

    def test_each_id_is_written_once_by_all_nodes(self):
        words, lines = self.fill('echo "$@" >words; cat >lines')
        self.assertEqual(words, "import --endpoint http://127.0.0.1:1,http://127.0.0.1:2 --replicas 2/2 --parallel 8 --batch 100 --repeat-unknown\n")
        records = [json.loads(line) for line in lines]
        self.assertEqual([record["key"] for record in records], [f"key-{number:08d}" for number in range(3000)])
        self.assertEqual({len(base64.b64decode(record["value"])) for record in records}, {100})
        self.assertEqual(len({record["value"] for record in records}), 3000)

    def test_ids_that_are_missing_are_a_failure(self):
        with self.assertRaisesRegex(Failure, "Filling a failed:\nno node"):
            self.fill("echo 'no node' >&2; exit 5")


class Wrk2Tests(unittest.TestCase):
    def test_its_version_says_what_the_program_is_made_of(self):
        with tempfile.TemporaryDirectory() as name:
            made = pathlib.Path(name) / "wrk"
            made.write_text("#!/bin/sh\necho 'wrk 4.0.0 [epoll] Copyright (C) Somebody'\necho ' --rate'\nexit 1\n")
            made.chmod(0o755)
            digest = hashlib.sha256(made.read_bytes()).hexdigest()[:12]
            with unittest.mock.patch.dict(os.environ, WRK2=str(made)):
                self.assertEqual(Wrk2(HOME).version(), f"wrk2 (wrk 4.0.0 [epoll], SHA-256 {digest})")


class SecureTests(unittest.TestCase):
    def prepare(self, form):
        with tempfile.TemporaryDirectory() as name:
            directory, scripts = pathlib.Path(name), pathlib.Path(name) / "bin"
            scripts.mkdir()
            for script, text in [("quorate", "token: q_1\n  - {sha256: \"ab\"}"), ("certificates", "")]:
                self.assertTrue((pathlib.Path(__file__).parents[2] / "bin" / script).exists(), script)
                (scripts / script).write_text(f"#!/bin/sh\necho '{text}'\n")
                (scripts / script).chmod(0o755)
            words, clients = secure.prepare(form, scripts, directory)
            token, access = clients.token_file, directory / "secure" / "access.yml"
            self.access = access.read_text() if access.exists() else None
            return words, clients, clients.headers if token and token.exists() else {}

    def test_each_form_has_its_own_way_for_clients(self):
        ways = {form: self.prepare(form)[1] for form in secure.FORMS}
        self.assertEqual([way.scheme for way in ways.values()], ["http", "http", "http", "https"])
        self.assertEqual([way.token_file is not None for way in ways.values()], [False, True, False, True])

    def test_a_token_is_in_no_argument(self):
        words, clients, headers = self.prepare(secure.TOKENS)
        self.assertEqual(headers, {"Authorization": "Bearer q_1"})
        self.assertNotIn("q_1", " ".join(words))
        self.assertEqual(clients.environment()["QUORATE_TOKEN_FILE"], str(clients.token_file))

    def test_the_principal_of_the_token_may_do_all_that_is_measured(self):
        self.prepare(secure.TOKENS)
        rights = "read: all, write: all, metrics: true, limits: {share: 1}"
        self.assertEqual(self.access, f'principals:\n  ops: {{tokens: [{{sha256: "ab"}}], {rights}}}\n')

    def test_a_crowd_is_as_large_as_an_access_file_may_be(self):
        words, _, headers = self.prepare(secure.CROWD)
        _, ops, *others = self.access.splitlines()
        self.assertTrue(words[0].startswith("--quorate.security.access="))
        self.assertEqual(headers, {"Authorization": "Bearer q_1"})
        self.assertIn('{sha256: "ab"}], read: [key-, ', ops)
        self.assertEqual(len(others), 999)
        self.assertEqual({line.count(f"p{number}-") for number, line in enumerate(others, 1)}, {64})
        self.assertEqual((ops.count("key-"), ops.count("ops-")), (2, 62))
        self.assertLess(len(self.access), 1024 * 1024)

    def test_an_open_cluster_is_sent_no_token_of_another(self):
        with unittest.mock.patch.dict(os.environ, QUORATE_TOKEN_FILE="other"):
            self.assertNotIn("QUORATE_TOKEN_FILE", Clients().environment())

    def test_only_encrypted_nodes_have_certificates(self):
        self.assertIn("--quorate.internode.tls=required", self.prepare(secure.ENCRYPTED)[0])
        self.assertEqual(self.prepare(secure.OPEN)[0], [])
        self.assertEqual(self.prepare(secure.CLOSED)[0], ["--secure"])

class ConnectionsTests(unittest.TestCase):
    class Target:
        name, nodes, clients = "a", ["n0", "n1"], Clients()

        def __init__(self, port):
            self.ports = [port]
            self.taken = 0

        def samples(self, meters_first):
            self.taken += 1
            return {"n0": Sample(self.taken, 0, 0), "n1": Sample(0, self.taken * 7, 0)}

    def test_each_connection_is_opened_and_only_the_first_node_counts(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            round_ = connections.measure(self.Target(server.getsockname()[1]), 3, 2)
            server.settimeout(0)
            for _ in range(3):
                server.accept()[0].close()
            self.assertRaises(BlockingIOError, server.accept)
        self.assertEqual((round_.target, round_.protocol, round_.round, round_.count, round_.cpu), ("a", "none", 2, 3, 1))
        self.assertIn("| a | none | 2 | 3 |", report.connections_table([round_])[2])
        self.assertTrue(report.connections_table([round_])[2].endswith("| 333.333 |"))

    def test_the_round_that_compiles_the_code_is_thrown_away(self):
        def measured(target, count, number):
            return connections.Connected(target, "none", number, count, 1, 1)

        with unittest.mock.patch.object(connections, "measure", measured):
            run = Run(HOME, parse(HOME, ["--new-connections", "5", "--rounds", "2"]), Wrk2.__new__(Wrk2))
            done = run.connections(["a", "b"])
        self.assertEqual([(each.target, each.round) for each in done], [("a", 1), ("b", 1), ("b", 2), ("a", 2)])


class ArgumentTests(unittest.TestCase):
    def refused(self, *words):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            parse(HOME, words)
        self.assertEqual(end.exception.code, 2)
        return said.getvalue()

    def test_properties_are_told_from_options(self):
        arguments = parse(HOME, ["--rates", "10,20", "--quorate.a=1", "--sync", "never"])
        self.assertEqual(arguments.properties, ["--quorate.a=1", "--quorate.storage.wal.sync=never"])
        self.assertEqual(arguments.rates, [10, 20])

    def test_defaults_are_a_majority_of_the_nodes(self):
        self.assertEqual([parse(HOME, ["--nodes", n]).replicas for n in "135"], ["1/1", "2/3", "3/5"])

    def test_variants_have_names_properties_and_jars(self):
        first, second = parse(HOME, ["--variant", "a=--x.y=1 --z.z=2", "--variant", "b=", "--jar", "b=/b.jar"]).variants
        self.assertEqual((first.name, first.properties, first.jar), ("a", ("--x.y=1", "--z.z=2"), None))
        self.assertEqual((second.properties, second.jar), ((), pathlib.Path("/b.jar")))

    def test_forms_of_security_are_variants(self):
        self.assertEqual([v.form for v in parse(HOME, ["--secure"]).variants], secure.FORMS)
        self.assertEqual([v.name for v in parse(HOME, ["--secure", "open,crowd"]).variants], ["open", "crowd"])
        self.assertEqual([v.form for v in parse(HOME, []).variants], ["open"])

    def test_what_does_not_fit_together_is_refused(self):
        self.assertIn("its own variants", self.refused("--secure", "--variant", "a="))
        self.assertIn("each once", self.refused("--secure", "open,open"))
        self.assertIn("--compare", self.refused("--secure", "--compare", "a", "b"))
        self.assertIn("no variant", self.refused("--jar", "a=/a.jar"))
        self.assertIn("names must differ", self.refused("--variant", "a=", "--variant", "a="))
        self.assertIn("above the one before", self.refused("--rates", "20,10"))
        self.assertIn("only node", self.refused("--nodes", "1", "--node-down", "kill"))
        self.assertIn("--compare", self.refused("--new-connections", "5", "--compare", "a", "b"))


if __name__ == "__main__":
    unittest.main()
