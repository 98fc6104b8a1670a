"""Results in Markdown."""

PERCENTS = [50, 90, 99, 99.9, 100]

MEBIBYTE = 1 << 20


def latency_table(stages):
    rows = ["| | asked/s | got/s | p50 | p90 | p99 | p99.9 | max | errors | CPU us/request | |", "|---|" + "---:|" * 9 + "---|"]
    for stage in stages:
        answers = stage.answers
        percentiles = " | ".join(f"{answers.percentiles[p]:.2f}" if p in answers.percentiles else "" for p in PERCENTS)
        notes = [] if answers.held else ["generator asked for less" if answers.asked_for_less else "not held"]
        notes += [f"attempt {stage.repeats + 1}"] if stage.repeats else []
        asked = "max" if stage.load.rate is None else f"{stage.load.rate}"
        rows.append(
            f"| {name_of(stage)} | {asked} | {answers.rate:.0f} | {percentiles} | {answers.errors} |"
            f" {stage.cpu_micros:.0f} | {', '.join(notes)} |"
        )
    return rows


def resources_table(stages):
    head = "| | asked/s | CPU user + system | generator | GC pauses, ms | allocated KiB/request | memory MiB |"
    rows = [head, "|---|---:|---|---:|---|---:|---|"]
    for stage in stages:
        # By the generator's own clock: it runs longer than --seconds, by the time that its end takes.
        seconds = stage.answers.seconds
        used = stage.used.values()
        processor = " / ".join(f"{sample.user / seconds:.2f}+{sample.system / seconds:.2f}" for sample in used)
        pauses = " / ".join(f"{sample.pauses:.0f}, {sample.pause_seconds * 1000:.0f}" for sample in used)
        allocated = stage.for_each(sum(sample.allocated for sample in used) / 1024)
        memory = " / ".join(f"{sample.rss / MEBIBYTE:.0f}" for sample in used)
        asked = "max" if stage.load.rate is None else f"{stage.load.rate}"
        rows.append(
            f"| {name_of(stage)} | {asked} | {processor} | {stage.answers.generator_cpu / seconds:.2f} |"
            f" {pauses} | {allocated:.1f} | {memory} |"
        )
    legend = "Processors in shares of one core; values of the nodes in order, GC as the count of pauses and their milliseconds."
    return [legend, "", *rows]


def connections_table(rounds):
    if not rounds:
        return []
    rows = ["| new connections | TLS | round | connections | a second | CPU of the node, ms each |", "|---|---|" + "---:|" * 4]
    for each in rounds:
        rows.append(
            f"| {each.target} | {each.protocol} | {each.round} | {each.count:,} | {each.count / each.seconds:,.0f} |"
            f" {each.cpu * 1000 / each.count:.3f} |"
        )
    return [*rows, ""]


def knee_lines(series, targets, methods, rates, bound):
    if rates == [None]:
        return []
    lines = [f"Highest rate that was held with p99 below {bound:g} ms:"]
    for method in methods:
        knees = ", ".join(
            f"{label(target.name)}{knee(series, target, method, rates)}" for target in targets if series.of(target.name, method)
        )
        lines.append(f"- {method.upper()}: {knees}")
    return lines


def knee(series, target, method, rates):
    rate = series.knee(target.name, method)
    if rate is None:
        return "none of them"
    return f"{rate:,}/s" + (", the highest that was tried" if rate == max(rates) else "")


def label(target):
    return "" if target == "cluster" else f"{target} "


def name_of(stage):
    return f"{label(stage.target)}{stage.load.method.upper()}"
