"""Draws the data that Prometheus has of a cluster: tools/report starts it."""

import datetime
import json
import math
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

import matplotlib

matplotlib.use("Agg")

import matplotlib.colors
import matplotlib.dates
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy

from report_arguments import UTC, arguments

# Colours of Okabe and Ito, which readers with any kind of colour blindness can distinguish.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#F0E442"]

STATES = {"ready": "#D5DDE3", "not ready": "#F0E442", "does not answer": "#333333"}

# Rarer values are darker.
PERCENTILES = {"50": "#7FCDBB", "90": "#41B6C4", "99": "#225EA8", "99.9": "#081D58"}

OUTCOMES = {
    "success": "#0072B2",
    "not_found": "#56B4E9",
    "rejected": "#999999",
    "cancelled": "#CCCCCC",
    "overloaded": "#E69F00",
    "unavailable": "#D55E00",
    "disk_full": "#CC79A7",
    "error": "#000000",
}

OPERATIONS = ["get", "put", "delete", "scan"]

# Window of a rate: long enough for some scrapes, short enough for events of seconds.
WINDOW = "30s"

POINTS = 300


class Failure(Exception):
    """An error that ends the program, as a sentence for its user."""


class Prometheus:
    """Queries to a Prometheus for one span of time."""

    def __init__(self, url, begin, end):
        self.url = url.rstrip("/")
        self.begin = begin
        self.end = end
        self.step = max(1, math.ceil((end - begin).total_seconds() / POINTS))

    def clusters(self):
        return sorted({labels["cluster"] for labels, _, _ in self.series("max by (cluster) (quorate_ready)")})

    def series(self, expression):
        """Labels, times and values of each series; NaN where a series has no value."""
        times = numpy.arange(self.begin.timestamp(), self.end.timestamp() + 1e-6, self.step)
        form = {"query": expression, "start": times[0], "end": times[-1], "step": self.step}
        request = urllib.request.Request(
            self.url + "/api/v1/query_range", data=urllib.parse.urlencode(form).encode(), method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                result = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as refused:
            raise Failure(f"Prometheus refuses {expression}: {refused.read().decode(errors='replace')}")
        except (urllib.error.URLError, OSError) as unreachable:
            raise Failure(f"Prometheus cannot be reached at {self.url}: {unreachable}")
        found = []
        for one in result:
            values = numpy.full(len(times), numpy.nan)
            for instant, value in one["values"]:
                values[round((float(instant) - times[0]) / self.step)] = float(value)
            found.append((one["metric"], [datetime.datetime.fromtimestamp(t, UTC) for t in times], values))
        return found


class Report:
    """The pictures of a cluster."""

    def __init__(self, prometheus, cluster, directory):
        self.prometheus = prometheus
        self.cluster = cluster
        self.directory = directory
        self.nodes = {}

    def query(self, expression):
        return self.prometheus.series(expression.replace("@", f'cluster="{self.cluster}"').replace("[~]", f"[{WINDOW}]"))

    def colour(self, node):
        return COLOURS[self.nodes[node] % len(COLOURS)]

    def draw(self):
        names = sorted({labels["node"] for labels, _, _ in self.query("max by (node) (quorate_ready{@})")})
        self.nodes = {name: number for number, name in enumerate(names)}
        return [self.latency(), self.heat_map(), self.throughput(), self.states(), self.changes()]

    def title(self, figure, what):
        begin, end = self.prometheus.begin, self.prometheus.end
        until = "%H:%M:%S" if begin.date() == end.date() else "%Y-%m-%d %H:%M:%S"
        figure.suptitle(what, x=0.01, y=1 - 0.15 / figure.get_figheight(), ha="left", va="top", fontsize=15, fontweight="bold")
        figure.text(
            0.01,
            1 - 0.47 / figure.get_figheight(),
            f"cluster {self.cluster}, {len(self.nodes)} nodes, {begin:%Y-%m-%d %H:%M:%S} to {end:{until}} UTC",
            ha="left",
            va="top",
            fontsize=10,
            color="#555555",
        )

    def axis_of_time(self, axes):
        axes.set_xlim(self.prometheus.begin, self.prometheus.end)
        locator = matplotlib.dates.AutoDateLocator(tz=UTC, minticks=4, maxticks=9)
        axes.xaxis.set_major_locator(locator)
        span = (self.prometheus.end - self.prometheus.begin).total_seconds()
        axes.xaxis.set_major_formatter(
            matplotlib.dates.DateFormatter("%H:%M:%S" if span < 600 else "%H:%M" if span < 86400 else "%m-%d %H:%M", tz=UTC)
        )

    def save(self, figure, name):
        path = self.directory / name
        figure.savefig(path, dpi=110)
        plt.close(figure)
        return path

    def latency(self):
        figure, grid = plt.subplots(2, 2, figsize=(13, 8), sharex=True, sharey=True)
        self.title(figure, "Latency of requests that did not fail, by operation")
        for axes, operation in zip(grid.flat, OPERATIONS):
            for percentile, colour in PERCENTILES.items():
                expression = (
                    f"histogram_quantile({float(percentile) / 100:.4g}, sum by (le) (rate(quorate_request_seconds_bucket"
                    f'{{@,operation="{operation}",outcome=~"success|not_found"}}[~])))'
                )
                for _, times, values in self.query(expression):
                    axes.plot(times, values * 1000, color=colour, label=f"p{percentile}", linewidth=1.6)
            if all(numpy.isnan(line.get_ydata()).all() for line in axes.lines):
                nothing(axes)
            axes.set_title(operation.upper() if operation != "scan" else "Scan, to its head", loc="left", fontsize=11)
            # The objective of the alerts.
            if operation != "scan":
                axes.axhline(100, color="#D55E00", linewidth=0.9, linestyle=(0, (6, 4)), label="objective\nof p99.9")
            self.axis_of_time(axes)
        lowest, highest = math.inf, 0
        for axes in grid.flat:
            decades(axes)
            lowest, highest = min(lowest, axes.get_ylim()[0]), max(highest, axes.get_ylim()[1])
        grid[0][0].set_ylim(lowest, highest)
        for axes in grid[:, 0]:
            axes.set_ylabel("milliseconds")
        for axes in grid[1]:
            axes.set_xlabel("time (UTC)")
        legend_of(figure, grid.flat)
        figure.tight_layout(rect=(0, 0, 0.92, 0.93))
        return self.save(figure, "latency.png")

    def heat_map(self):
        figure, axes = plt.subplots(figsize=(13, 6))
        self.title(figure, "Latency of all requests that did not fail")
        buckets = {
            float(labels["le"]): values
            for labels, _, values in self.query(
                'sum by (le) (rate(quorate_request_seconds_bucket{@,outcome=~"success|not_found"}[~]))'
            )
        }
        bounds = sorted(buckets)
        if not bounds:
            nothing(axes)
            return self.save(figure, "latency-heat-map.png")
        cumulated = numpy.array([numpy.nan_to_num(buckets[bound]) for bound in bounds])
        counts = numpy.diff(cumulated, axis=0, prepend=0)
        times = numpy.arange(counts.shape[1] + 1) * self.prometheus.step + self.prometheus.begin.timestamp()
        columns = matplotlib.dates.date2num([datetime.datetime.fromtimestamp(t, UTC) for t in times])
        # The last bucket has no end: the picture gives it one more step of the buckets below.
        finite = [bound * 1000 for bound in bounds if bound != math.inf]
        rows = [finite[0] / 2] + finite + ([finite[-1] * 2] if bounds[-1] == math.inf else [])
        shown = numpy.ma.masked_less_equal(counts, 1e-9)
        if shown.mask.all():
            nothing(axes)
            return self.save(figure, "latency-heat-map.png")
        mesh = axes.pcolormesh(
            columns,
            rows,
            shown,
            cmap="viridis",
            norm=matplotlib.colors.LogNorm(vmin=max(shown.min(), shown.max() / 1e4), vmax=shown.max()),
        )
        axes.set_facecolor("#F2F2F2")
        axes.set_yscale("log")
        filled = [number for number, row in enumerate(counts) if (row > 1e-9).any()]
        axes.set_ylim(rows[max(0, filled[0] - 1)], rows[min(len(rows) - 1, filled[-1] + 2)])
        axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_ylabel("milliseconds")
        axes.set_xlabel("time (UTC)")
        axes.xaxis_date(tz=UTC)
        self.axis_of_time(axes)
        axes.grid(False)
        figure.colorbar(mesh, ax=axes, label="requests a second in the bucket", pad=0.015)
        figure.tight_layout(rect=(0, 0, 1, 0.91))
        return self.save(figure, "latency-heat-map.png")

    def throughput(self):
        figure, (answers, asked, failing) = plt.subplots(3, 1, figsize=(13, 10), sharex=True, height_ratios=(3, 2, 1.4))
        self.title(figure, "Requests")
        found = {
            labels["outcome"]: (times, values)
            for labels, times, values in self.query("sum by (outcome) (rate(quorate_request_seconds_count{@}[~]))")
        }
        present = [outcome for outcome in OUTCOMES if outcome in found and numpy.nansum(found[outcome][1]) > 0]
        if present:
            answers.stackplot(
                found[present[0]][0],
                *[numpy.nan_to_num(found[outcome][1]) for outcome in present],
                labels=[outcome.replace("_", " ") for outcome in present],
                colors=[OUTCOMES[outcome] for outcome in present],
                linewidth=0,
            )
            beside(answers, reverse=True)
        else:
            nothing(answers)
        answers.set_title("By outcome", loc="left", fontsize=11)
        answers.set_ylabel("requests a second")
        by_operation = {
            labels["operation"]: (times, values)
            for labels, times, values in self.query("sum by (operation) (rate(quorate_request_seconds_count{@}[~]))")
        }
        for number, operation in enumerate(OPERATIONS):
            if operation in by_operation:
                asked.plot(*by_operation[operation], color=COLOURS[number], label=operation.upper(), linewidth=1.6)
        beside(asked)
        asked.set_title("By operation", loc="left", fontsize=11)
        asked.set_ylabel("requests a second")
        bad = sum((numpy.nan_to_num(found[outcome][1]) for outcome in ("overloaded", "unavailable", "disk_full", "error")
                   if outcome in found), numpy.zeros(1))
        total = sum((numpy.nan_to_num(values) for _, values in found.values()), numpy.zeros(1))
        if present:
            share = numpy.divide(100 * bad, total, out=numpy.full(len(total), numpy.nan), where=total > 0)
            failing.fill_between(found[present[0]][0], share, color="#D55E00", alpha=0.35, linewidth=0)
            failing.plot(found[present[0]][0], share, color="#D55E00", linewidth=1.4)
        failing.axhline(0.1, color="#555555", linewidth=0.9, linestyle=(0, (6, 4)))
        failing.annotate("objective: 0.1 %", (0.01, 0.1), xycoords=("axes fraction", "data"), va="bottom", fontsize=8,
                         color="#555555")
        failing.set_yscale("symlog", linthresh=0.1)
        failing.set_ylim(0, 100)
        failing.set_yticks([0, 0.1, 1, 10, 100])
        failing.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        failing.set_title("Share that fails", loc="left", fontsize=11)
        failing.set_ylabel("per cent")
        failing.set_xlabel("time (UTC)")
        for axes in (answers, asked):
            axes.set_ylim(bottom=0)
        for axes in (answers, asked, failing):
            self.axis_of_time(axes)
        figure.tight_layout(rect=(0, 0, 1, 0.94))
        figure.align_ylabels()
        return self.save(figure, "throughput.png")

    def states(self):
        drawn = [
            ("Members connected", "members", 1, False, 'count by (node) (quorate_internode_member{@,state="disconnected"} == 0)'),
            ("Requests in flight", "requests", 1, False, "quorate_inflight_requests{@}"),
            ("Fsync of the log, p99", "milliseconds", 1000, True,
             "histogram_quantile(0.99, sum by (node, le) (rate(quorate_storage_wal_force_seconds_bucket{@}[~])))"),
            ("Event loops late, p99", "milliseconds", 1000, True,
             "histogram_quantile(0.99, sum by (node, le) (rate(quorate_event_loop_lag_seconds_bucket{@}[~])))"),
            ("Heap used", "MiB", 1 / (1 << 20), False, 'sum by (node) (jvm_memory_used_bytes{@,area="heap"})'),
            ("Writes that the replica missed", "writes a second", 1, False, "sum by (peer) (rate(quorate_acks_missing_total{@}[~]))"),
            ("Disk used", "per cent", 100, False, "1 - quorate_storage_disk_free_bytes{@} / quorate_storage_disk_total_bytes{@}"),
        ]
        figure, rows = plt.subplots(len(drawn) + 1, 1, figsize=(13, 17), sharex=True,
                                    height_ratios=[0.25 + 0.25 * max(1, len(self.nodes))] + [1.2] * len(drawn))
        self.title(figure, "State of each node")
        self.readiness(rows[0])
        self.rows_of_nodes(rows[1:], drawn)
        figure.tight_layout(rect=(0, 0, 1, 0.965))
        figure.align_ylabels()
        return self.save(figure, "nodes.png")

    def changes(self):
        drawn = [
            ("Version of the layout that the member has adopted", "version", 1, False, "quorate_layout_version{@}"),
            ("Copied of what the node gains", "per cent", 100, False, "quorate_move_progress_ratio{@}"),
            ("Received of what the node gains", "MiB a second", 1 / (1 << 20), False,
             "sum by (node) (rate(quorate_move_bytes_total{@}[~]))"),
            ("Members that hold up the end of the change", "members", 1, False, "sum by (node) (quorate_layout_blocked{@})"),
            ("Requests planned anew, as replicas had another layout", "requests a second", 1, False,
             "sum by (node) (rate(quorate_planned_anew_total{@}[~]))"),
        ]
        figure, rows = plt.subplots(len(drawn), 1, figsize=(13, 12), sharex=True)
        self.title(figure, "Changes of members")
        self.rows_of_nodes(rows, drawn)
        figure.tight_layout(rect=(0, 0, 1, 0.95))
        figure.align_ylabels()
        return self.save(figure, "changes.png")

    def rows_of_nodes(self, rows, drawn):
        """A line for each node in each row."""
        for axes, (title, unit, scale, is_log, expression) in zip(rows, drawn):
            for labels, times, values in self.query(expression):
                name = labels.get("node", labels.get("peer"))
                if name in self.nodes:
                    axes.plot(times, values * scale, color=self.colour(name), label=name, linewidth=1.4)
            axes.set_title(title, loc="left", fontsize=11)
            axes.set_ylabel(unit)
            if is_log:
                decades(axes)
            elif unit == "per cent":
                axes.set_ylim(0, 105)
            else:
                axes.set_ylim(bottom=0)
                axes.yaxis.set_major_locator(
                    matplotlib.ticker.MaxNLocator(5, integer=unit in ("members", "requests", "version"))
                )
            if not any((numpy.nan_to_num(line.get_ydata()) > 0).any() for line in axes.lines):
                # Not parts of a member or a request.
                axes.set_ylim(0, 1)
            self.axis_of_time(axes)
        rows[-1].set_xlabel("time (UTC)")
        beside(rows[0])

    def readiness(self, axes):
        """A bar for each node: ready, not ready, or gone."""
        found = {labels["node"]: values for labels, _, values in self.query("max by (node) (quorate_ready{@})")}
        up = {labels["node"]: values for labels, _, values in self.query('max by (node) (up{job="quorate",@,node!=""})')}
        step = self.prometheus.step / 86400
        begin = matplotlib.dates.date2num(self.prometheus.begin)
        for row, node in enumerate(self.nodes):
            spans = {state: [] for state in STATES}
            for number, ready in enumerate(found[node]):
                answers = up.get(node, numpy.full(len(found[node]), numpy.nan))[number]
                # Prometheus returns the last value of a dead node for a while.
                state = "does not answer" if answers == 0 else "ready" if ready == 1 else "not ready" if ready == 0 else None
                if state is not None:
                    spans[state].append((begin + number * step, step))
            for state, colour in STATES.items():
                axes.broken_barh(spans[state], (row - 0.36, 0.72), facecolors=colour, linewidth=0)
        for state, colour in STATES.items():
            axes.plot([], [], color=colour, linewidth=8, label=state)
        axes.set_yticks(range(len(self.nodes)), list(self.nodes))
        axes.set_ylim(len(self.nodes) - 0.4, -0.6)
        axes.set_title("Readiness", loc="left", fontsize=11)
        axes.grid(False)
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=9, handlelength=1)
        self.axis_of_time(axes)


def decades(axes):
    """A logarithmic axis with whole decades and plain numbers."""
    axes.set_yscale("log")
    shown = numpy.concatenate([numpy.asarray(line.get_ydata(), dtype=float) for line in axes.lines] or [numpy.array([])])
    shown = shown[numpy.isfinite(shown) & (shown > 0)]
    if len(shown):
        axes.set_ylim(10 ** math.floor(math.log10(shown.min()) + 1e-9), 10 ** math.ceil(math.log10(shown.max() * 1.01)))
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def nothing(axes):
    axes.text(0.5, 0.5, "nothing in this time", transform=axes.transAxes, ha="center", va="center", color="#888888")


def beside(axes, reverse=False):
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        order = slice(None, None, -1) if reverse else slice(None)
        axes.legend(handles[order], labels[order], loc="upper left", bbox_to_anchor=(1.005, 1), frameon=False, fontsize=9)


def legend_of(figure, several):
    """One legend for axes that share their meaning."""
    found = {}
    for axes in several:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if found:
        figure.legend(found.values(), found.keys(), loc="upper right", bbox_to_anchor=(0.995, 0.9), frameon=False, fontsize=10)


def span(words):
    end = words.to or datetime.datetime.now(UTC)
    begin = words.begin or end - datetime.timedelta(minutes=words.minutes)
    if begin >= end:
        raise Failure(f"The time to draw is empty: from {begin} to {end}")
    return begin.astimezone(UTC).replace(microsecond=0), end.astimezone(UTC).replace(microsecond=0)


def main():
    words = arguments()
    prometheus = Prometheus(words.prometheus, *span(words))
    clusters = prometheus.clusters()
    if not clusters:
        raise Failure(f"Prometheus at {words.prometheus} has seen no node in this time.")
    if words.cluster is None and len(clusters) > 1:
        raise Failure(f"Prometheus watches several clusters: choose one with --cluster, of {', '.join(clusters)}")
    cluster = words.cluster or clusters[0]
    if cluster not in clusters:
        raise Failure(f"There is no cluster {cluster}; there are: {', '.join(clusters)}")
    directory = words.out or pathlib.Path(words.home or ".") / "target" / "report"
    directory.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"axes.grid": True, "grid.color": "#E4E4E4", "axes.spines.top": False, "axes.spines.right": False,
                         "axes.axisbelow": True, "font.size": 10, "axes.edgecolor": "#888888"})
    for path in Report(prometheus, cluster, directory).draw():
        print(path)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
