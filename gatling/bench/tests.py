"""What bin/bench decides by itself: python3 -m unittest, in this directory."""

import contextlib
import io
import pathlib
import re
import unittest

from arguments import parse
from gate import Comparison
from generators import Oha
from measured import Answers, Load, Sample, Stage
from series import Series

HOME = pathlib.Path("home")


def load(rate=1000, method="put", keys=20000):
    return Load(method, rate, 10, 64, keys, 100, "2/3", 0.9)


def stage(target, rate, number=1, requests=None, p99=5.0, longest=20.0, cpu=1.0):
    due = rate * 10
    percentiles = {50: 1.0, 99: p99, 100: longest}
    answers = Answers(due if requests is None else requests, 10.0, due, percentiles, 0, 0, 1.0)
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

    def test_the_knee_is_below_the_first_rate_with_a_long_tail(self):
        made = series(stage("a", 1000), stage("a", 2000, p99=60), stage("a", 3000))
        self.assertEqual(made.knee("a", "put"), 1000)

    def test_no_rate_held_is_no_knee(self):
        self.assertIsNone(series(stage("a", 1000, requests=5000, longest=5000)).knee("a", "put"))


class ScriptedGenerator:
    """Holds rates up to a bound."""

    def __init__(self, bound):
        self._bound = bound

    def run(self, load, ports):
        return stage("", load.rate, requests=min(load.rate, self._bound) * 10, longest=9000).answers


class Target:
    ports = [1]

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


    def test_a_rate_that_only_the_old_one_holds_is_a_failure(self):
        pairs = [stage("old", 1000), stage("new", 1000), stage("old", 2000), stage("new", 2000, requests=9000, longest=9000)]
        self.assertEqual(len(self.worse(*pairs)), 1)


class OhaTests(unittest.TestCase):
    def test_each_id_of_the_key_space_can_be_drawn_and_no_other(self):
        for keys, outside in [(20000, "key-00020000"), (10000, "key-00010000"), (7, "key-00000007")]:
            address = Oha._address(None, load(keys=keys), 8080)
            ids = re.search(r"id=(.*)&", address).group(1)
            self.assertTrue(all(re.fullmatch(ids, f"key-{number:08d}") for number in range(keys)))
            self.assertIsNone(re.fullmatch(ids, outside))

    def test_other_numbers_of_keys_are_rounded_down(self):
        self.assertEqual(Oha.usable_keys(None, 12345), 10000)
        self.assertEqual(Oha.usable_keys(None, 500000), 500000)


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

    def test_what_does_not_fit_together_is_refused(self):
        self.assertIn("wrk2", self.refused("--generator", "oha", "--methods", "mixed"))
        self.assertIn("no variant", self.refused("--jar", "a=/a.jar"))
        self.assertIn("names must differ", self.refused("--variant", "a=", "--variant", "a="))
        self.assertIn("above the one before", self.refused("--rates", "20,10"))
        self.assertIn("only node", self.refused("--nodes", "1", "--node-down", "kill"))


if __name__ == "__main__":
    unittest.main()
