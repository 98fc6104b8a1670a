"""Compares two commits in one run: ratios of the second to the first, pair by pair."""

import math


def ratios(series, old, new, figure):
    """Ratios by method and rate: one for each round in which both held the rate."""
    found = {}
    for before in series.of(old):
        for after in series.of(new, before.load.method, before.load.rate, before.round):
            if before.answers.held and after.answers.held:
                found.setdefault((before.load.method, before.load.rate), []).append(figure(after) / figure(before))
    return found


def mean(values):
    """Geometric mean, which weighs a half and a double equally."""
    return math.exp(sum(math.log(value) for value in values) / len(values))


def spread(values):
    return f"{mean(values):.2f} ({min(values):.2f}-{max(values):.2f})" if values else ""


FIGURES = {
    "CPU/request": lambda stage: stage.cpu_micros,
    "p50": lambda stage: stage.answers.percentiles[50],
    "p99": lambda stage: stage.answers.percentiles[99],
}


class Comparison:
    """The comparison of two targets of a series."""

    def __init__(self, series, old, new, methods, rounds):
        self._series = series
        self._old = old
        self._new = new
        self._methods = methods
        self._rounds = rounds
        self._ratios = {name: ratios(series, old, new, figure) for name, figure in FIGURES.items()}

    def table(self):
        head = " | ".join(f"{name}, {self._new} / {self._old}" for name in FIGURES)
        rows = [f"| | pairs | {head} | highest rate held |", "|---|---:|" + "---:|" * (len(FIGURES) + 1)]
        for method, rate in self._ratios["CPU/request"]:
            values = [self._ratios[name][method, rate] for name in FIGURES]
            rows.append(f"| {method.upper()} {rate}/s | {len(values[0])} | {' | '.join(map(spread, values))} | |")
        for method in self._methods:
            values = [self._of(name, method) for name in FIGURES]
            rows.append(f"| **{method.upper()}** | {len(values[0])} | {' | '.join(map(spread, values))} | {self._knees(method)} |")
        return rows

    def _of(self, name, method):
        return [value for (of, _), values in self._ratios[name].items() if of == method for value in values]

    def _knees(self, method):
        pairs = [
            (self._series.knee(self._old, method, number), self._series.knee(self._new, method, number))
            for number in range(1, self._rounds + 1)
        ]
        return spread([after / before for before, after in pairs if before and after])

    def _lost(self, method):
        """Rates that the old one held in every round and the new one surely in none."""
        return [
            rate
            for rate, old, new in self._by_rate(method)
            if all(answers.held for answers in old) and not any(answers.held or answers.asked_for_less for answers in new)
        ]

    def _by_rate(self, method):
        """Rates at which both were loaded, with the answers of the old one and of the new one."""
        rates = sorted({stage.load.rate for stage in self._series.of(method=method)})
        found = [(rate, *(self._answers(name, method, rate) for name in (self._old, self._new))) for rate in rates]
        return [(rate, old, new) for rate, old, new in found if old and new]

    def _answers(self, name, method, rate=None):
        return [stage.answers for stage in self._series.of(name, method, rate)]

    def _errors(self, method):
        """Sentences about rates at which only the new one had errors."""
        return [
            f"{method.upper()}: {errors} errors of {self._new} at {rate}/s, none of {self._old}."
            for rate, old, new in self._by_rate(method)
            if (errors := sum(answers.errors for answers in new)) and not any(answers.errors for answers in old)
        ]

    def _holds_none(self, method):
        """True if the old one held a rate, and the new one surely none."""
        new = self._answers(self._new, method)
        return any(answers.held for answers in self._answers(self._old, method)) and not any(
            answers.held or answers.asked_for_less for answers in new
        )

    def judge(self, bounds):
        """Sentences about figures that are worse than their bound, and about figures that may be. A bound of None is no bound."""
        worse, doubts = [], []
        for method in self._methods:
            worse += self._errors(method)
            if not self._of("CPU/request", method):
                if self._holds_none(method):
                    worse.append(f"{method.upper()}: {self._old} held a rate, {self._new} none.")
                else:
                    doubts.append(f"{method.upper()}: no rate was held by both, there is nothing to compare.")
                continue
            worse += [
                f"{method.upper()}: {rate}/s was held by {self._old} in every round, by {self._new} in none."
                for rate in self._lost(method)
            ]
            for name, bound in bounds.items():
                values = self._of(name, method)
                if bound is not None and mean(values) > bound:
                    agree = all(value > 1 for value in values)
                    said = f"{method.upper()}: {name} is {spread(values)} times that of {self._old}, above the bound {bound:g}"
                    (worse if agree else doubts).append(f"{said}." if agree else f"{said}, but not in every pair.")
        return worse, doubts
