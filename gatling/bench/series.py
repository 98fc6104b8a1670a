"""The order in which targets are loaded, and the rates that they hold."""

import statistics
import sys

from measured import Load, Stage

# Rates of a warm-up, in this order.
WARM_UP_RATES = [4000, 12000]

# Most repeats of a stage in which the generator sent fewer requests than it should.
REPEATS = 2


def measure(generator, target, load, round_number):
    """Measures one stage, and prints it to standard error, too."""
    for repeats in range(1 + REPEATS):
        before = target.samples(meters_first=True)
        answers = generator.run(load, target.ports, target.clients)
        after = target.samples(meters_first=False)
        used = {node: after[node].since(before[node]) for node in after}
        stage = Stage(target.name, load, round_number, answers, used, repeats)
        print(f"{target.name} {load.words}, round {round_number}: {in_short(stage)}", file=sys.stderr)
        if not answers.asked_for_less:
            return stage
        print("The generator asked for less than it should: once more.", file=sys.stderr)
    return stage


def in_short(stage):
    answers = stage.answers
    latency = f"p50 {answers.percentiles[50]:.2f} ms, p99 {answers.percentiles[99]:.2f} ms, " if answers.percentiles else ""
    return f"{answers.rate:,.0f}/s, {latency}{answers.errors} errors, {stage.cpu_micros:.0f} us/request"


def warm_up(generator, target, loads, seconds):
    """Runs the loads of all methods and checks each status. Returns the numbers of wrong statuses and of missing answers."""
    statuses, sockets = 0, 0
    for load in loads:
        for rate in WARM_UP_RATES:
            exact = Load(**{**vars(load), "rate": rate, "seconds": seconds, "seed": 0, "exact": True})
            answers = generator.run(exact, target.ports, target.clients)
            statuses += answers.status_errors
            sockets += answers.socket_errors
    return statuses, sockets


class Series:
    """All stages of a run: methods, rates, rounds and targets; a pair of targets in the order ABBA."""

    def __init__(self, generator, targets, rounds, knee_millis):
        self.stages = []
        self._generator = generator
        self._targets = targets
        self._rounds = rounds
        self._knee_millis = knee_millis

    def run(self, loads_by_rate):
        """Runs the loads of one method by rising rate. A target that does not hold a rate gets no higher one."""
        over = set()
        for load in loads_by_rate:
            done = []
            for number in range(1, self._rounds + 1):
                for target in self._targets if number % 2 else reversed(self._targets):
                    if target.name not in over:
                        done.append(measure(self._generator, target, Load(**{**vars(load), "seed": number}), number))
            over.update(stage.target for stage in done if not stage.answers.held and not stage.answers.asked_for_less)
            self.stages += done

    def of(self, target=None, method=None, rate=None, round_number=None):
        return [
            stage
            for stage in self.stages
            if (target is None or stage.target == target)
            and (method is None or stage.load.method == method)
            and (rate is None or stage.load.rate == rate)
            and (round_number is None or stage.round == round_number)
        ]

    def knee(self, target, method, round_number=None):
        """The highest rate up to which the target held all rates, without an error and with p99 below the bound, or None."""
        knee = None
        for rate in sorted({stage.load.rate for stage in self.of(target, method) if stage.load.rate is not None}):
            stages = self.of(target, method, rate, round_number)
            if not stages or not all(stage.answers.held for stage in stages):
                break
            if statistics.median(stage.answers.percentiles[99] for stage in stages) >= self._knee_millis:
                break
            knee = rate
        return knee
