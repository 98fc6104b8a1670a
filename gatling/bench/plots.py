"""Draws the figures of a run, a file of JSON, as SVG: latency by percentile and by rate. tools/bench starts it."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import matplotlib.ticker

# Colours of Okabe and Ito, which readers with any kind of colour blindness can distinguish.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000"]

PERCENTS = [0, 50, 90, 99, 99.9, 99.99]

STYLES = ["-", "--", ":", "-."]


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def of(stages, **wanted):
    return [stage for stage in stages if all(stage[name] == value for name, value in wanted.items())]


def distinct(stages, name):
    return list(dict.fromkeys(stage[name] for stage in stages))


def depth(percent):
    """Place of a percentile on an axis by the number of nines."""
    return 1 / (1 - percent / 100)


def finish(axes):
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("latency, ms")
    axes.grid(True, alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")


def label(target, text):
    return text if target == "cluster" else f"{target} {text}"


def draw_percentiles(stages, file):
    methods = distinct(stages, "method")
    figure, all_axes = plt.subplots(1, len(methods), figsize=(6 * len(methods), 4.5), sharey=True, squeeze=False, layout="constrained")
    for method, axes in zip(methods, all_axes[0]):
        for style, target in zip(STYLES * 9, distinct(stages, "target")):
            # Latencies of a rate that is not held depend on the length of its run.
            for colour, rate in zip(COLOURS * 9, distinct(of(stages, method=method), "rate")):
                rows = of(stages, method=method, rate=rate, target=target)
                if not rows or not all(row["held"] for row in rows):
                    continue
                percents = [p for p in sorted(rows[0]["percentiles"], key=float) if float(p) < 100]
                axes.plot(
                    [depth(float(p)) for p in percents],
                    [median([row["percentiles"][p] for row in rows]) for p in percents],
                    style, color=colour, label=label(target, f"{rate:,}/s"),
                )
        axes.set_title(method.upper())
        axes.set_xscale("log")
        axes.set_xticks([depth(p) for p in PERCENTS], [f"{p:g}" for p in PERCENTS])
        axes.minorticks_off()
        axes.set_xlabel("percentile")
        finish(axes)
    figure.savefig(file, metadata={"Date": None})


def draw_rates(stages, file):
    methods = distinct(stages, "method")
    figure, all_axes = plt.subplots(1, len(methods), figsize=(6 * len(methods), 4.5), sharey=True, squeeze=False, layout="constrained")
    for method, axes in zip(methods, all_axes[0]):
        for style, target in zip(STYLES * 9, distinct(stages, "target")):
            for colour, percent in zip(COLOURS, ["50", "99", "99.9"]):
                rows = of(stages, method=method, target=target)
                rates = distinct(rows, "rate")
                values = [median([row["percentiles"][percent] for row in of(rows, rate=rate)]) for rate in rates]
                axes.plot(rates, values, style, marker="o", color=colour, label=label(target, f"p{percent}"))
            lost = [row for row in rows if not row["held"]]
            axes.plot([row["rate"] for row in lost], [row["percentiles"]["99"] for row in lost], "x", color="black", markersize=10)
        axes.set_title(f"{method.upper()} (crosses: not held)")
        axes.xaxis.set_major_formatter(matplotlib.ticker.StrMethodFormatter("{x:,.0f}"))
        axes.set_xlabel("requests/s asked for")
        axes.set_xlim(left=0)
        finish(axes)
    figure.savefig(file, metadata={"Date": None})


def main():
    figures, base = sys.argv[1:]
    stages = json.loads(pathlib.Path(figures).read_text())
    # Small files with text that can be searched; the same figures give the same bytes.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "bench", "path.simplify": True})
    draw_percentiles(stages, f"{base}-percentiles.svg")
    draw_rates(stages, f"{base}-rates.svg")


main()
