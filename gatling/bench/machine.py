"""Limit of this machine: appends to its disk with an fsync after each."""

import os
import threading
import time

BLOCK = 4096

FILE_BLOCKS = 8192


def forced_appends(directory, writers, seconds):
    """Appends 4 KiB at a time to preallocated files, with an fsync after each, by concurrent writers: sorted milliseconds."""
    times = [[] for _ in range(writers)]
    files = [directory / f"appends-{number}" for number in range(writers)]
    for file in files:
        preallocate(file)
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=append, args=(file, until, times[number])) for number, file in enumerate(files)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for file in files:
        file.unlink()
    return sorted(time for part in times for time in part)


def preallocate(file):
    with file.open("wb") as out:
        for _ in range(FILE_BLOCKS):
            out.write(bytes(BLOCK))
        out.flush()
        os.fsync(out.fileno())


def append(file, until, times):
    block = os.urandom(BLOCK)
    descriptor = os.open(file, os.O_WRONLY)
    try:
        while (begin := time.perf_counter()) and time.monotonic() < until:
            os.pwrite(descriptor, block, len(times) % FILE_BLOCKS * BLOCK)
            os.fdatasync(descriptor)
            times.append((time.perf_counter() - begin) * 1000)
    finally:
        os.close(descriptor)


def percentile(times, percent):
    return times[min(len(times) - 1, int(len(times) * percent / 100))]


def appends_table(directory, seconds):
    rows = ["| appends of 4 KiB, fsync after each | appends/s | p50 ms | p99 ms | max ms |", "|---|---:|---:|---:|---:|"]
    for writers, words in [(1, "one writer"), (3, "three writers, a file each")]:
        times = forced_appends(directory, writers, seconds)
        figures = " | ".join(f"{percentile(times, percent):.2f}" for percent in (50, 99, 100))
        rows.append(f"| {words} | {len(times) / seconds:.0f} | {figures} |")
    return rows
