"""Summarizes the recordings of tools/profile: tools/profile starts it, and 'python3 tools/profile.py DIRECTORY' repeats it.

The directory holds a file `recordings`. Each line has the name of a recording, its seconds and the requests in them (or -),
separated by tabs. NAME-EVENT.collapsed has its collapsed stacks: a thread, its frames from the outermost on, and a number.
"""

import argparse
import collections
import pathlib
import re
import sys

EVENTS = {
    "cpu": ("Processor", "samples"),
    "wall": ("Wall clock", "samples"),
    "alloc": ("Allocation", "bytes"),
    "lock": ("Locks", "ns"),
}

# Interval between two samples of the processor, as tools/profile requests it.
CPU_SECONDS = 0.001

HTTP, COORDINATION, INTERNODE, STORAGE = "HTTP", "coordination", "internode", "storage"
METRICS, TRANSPORT, KERNEL = "metrics", "Netty's transport", "kernel"
GC, JIT, JVM, OTHER = "GC", "JIT", "JVM", "other"
INTERRUPTS = "interrupts"

ROOMS = [HTTP, COORDINATION, INTERNODE, STORAGE, METRICS, TRANSPORT, KERNEL, GC, JIT, JVM, OTHER]

# The first pattern that matches a frame names its room. A frame without a match is a library's, and counts for its caller.
FRAMES = [
    (METRICS, r"io/(micrometer|prometheus|opentelemetry)/|io/quorate/meter/|io/quorate/(\w+/)+\w*(Metrics|Meters|Timers)\b"),
    (HTTP, r"io/quorate/(api|operations)/|org/springframework/|reactor/netty/http/|io/netty/handler/codec/http"),
    (COORDINATION, r"io/quorate/(coordinator|replica|ring|membership|clock)/"),
    (INTERNODE, r"io/quorate/internode/|io/netty/handler/codec/LengthField"),
    (STORAGE, r"io/quorate/storage/|org/mapdb/|net/jpountz/"),
    (TRANSPORT, r"io/netty/channel/|reactor/netty/"),
]
FRAMES = [(room, re.compile(pattern)) for room, pattern in FRAMES]

# Threads of the JVM itself. The kernel cuts their names to 15 characters.
THREADS = [
    (GC, re.compile(r"GC Thread|G1 |Shenandoah|Z(Director|Driver|Worker|Stat)|Parallel")),
    (JIT, re.compile(r"C[12] Compiler|JVMCI|StubGen")),
    (JVM, re.compile(r"VM (Thread|Periodic)|Attach Listener|Signal Dispatch|Service Thread|Monitor Defla")),
]

# A stack without a frame of a room counts for the room that owns the thread.
OWNERS = [
    (STORAGE, re.compile(r"storage-")),
    (COORDINATION, re.compile(r"coordinator-|clock-")),
    (HTTP, re.compile(r"api-")),
    (TRANSPORT, re.compile(r"reactor-")),
]

SUFFIX = re.compile(r"_\[[0-9a-z]\]$")

THREAD = re.compile(r"^\[(.*?)( tid=\d+)?\]$")

JAVA = re.compile(r"[\w$]+(/[\w$]+)+[.$]")

SYSTEM_CALL = re.compile(r"_*(?:x64|arm64|ia32)_sys_(\w+)")

SYSTEM_CALLS_ENTRY = re.compile(r"entry_SYSCALL|el0t?_64_sync|el0_svc")

# Names of system calls in the C library, for profiles without frames of the kernel.
LIBRARY_CALL = re.compile(
    r"_*(?:libc_|GI_|internal_)*"
    r"(sendto|sendmsg|send|recvfrom|recvmsg|recv|readv|read|writev|write|pread64|pread|pwrite64|pwrite|epoll_wait|epoll_pwait2|epoll_pwait|epoll_ctl"
    r"|fdatasync|fsync|futex|poll|accept4|accept|madvise|mmap|munmap|mprotect|ftruncate|fallocate|nanosleep|sched_yield)"
    r"(?:_nocancel|64)?$"
)

FUTEX = re.compile(r"_*(lll_lock_wa|pthread_(cond|mutex)|\w*futex)")


class Sample:
    """A stack, innermost frame first, and its weight."""

    def __init__(self, line, has_class):
        stack, weight = line.rsplit(" ", 1)
        thread, *frames = stack.split(";")
        named = THREAD.match(thread)
        self.thread = named.group(1) if named else ""
        if not named:
            frames.insert(0, thread)
        self.weight = int(weight)
        # For allocations and locks the innermost frame is the class.
        self.type = SUFFIX.sub("", frames.pop()) if has_class and frames else None
        self.frames = frames[::-1]

    def room(self):
        return self.machine_room() or (KERNEL if self.kernel_call() else self.caller())

    def machine_room(self):
        return next((room for room, pattern in THREADS if pattern.match(self.thread)), None)

    def caller(self, but=()):
        """The room of the innermost frame that belongs to a room."""
        for frame in self.frames:
            room = room_of(frame)
            if room and room not in but:
                return room
        if not any(is_java(frame) for frame in self.frames):
            return JVM
        return next((room for room, pattern in OWNERS if pattern.match(self.thread)), OTHER)

    def kernel_call(self):
        """The system call or other work of the kernel, or None if the sample is not in the kernel."""
        if self.type or not self.frames:
            return None
        if self.frames[0].endswith("_[k]"):
            return self.kernel_entry()
        if not is_java(self.frames[0]):
            call = LIBRARY_CALL.match(self.frames[0])
            if call:
                return call.group(1)
            if FUTEX.match(self.frames[0]):
                return "futex"
        return None

    def kernel_entry(self):
        kernel = [SUFFIX.sub("", frame) for frame in self.frames if frame.endswith("_[k]")]
        if SYSTEM_CALLS_ENTRY.match(kernel[-1]):
            # If the system call has no frame of its own, the C library's function above it names the call.
            calls = [SYSTEM_CALL.match(frame) for frame in kernel] + [LIBRARY_CALL.match(f) for f in self.frames[len(kernel) :][:2]]
            return next((call.group(1) for call in calls if call), "other calls")
        return "page faults" if any("page_fault" in frame for frame in kernel) else INTERRUPTS

    def asked(self):
        """The work of the kernel, and the room that requested it. Interrupts hit any room, so they have none."""
        call = self.kernel_call()
        caller = self.caller(but=(TRANSPORT,))
        return call if call == INTERRUPTS else f"{call}, {'event loop' if caller == TRANSPORT else caller}"

    def is_reactor(self):
        """True if the innermost frames are Reactor's operators, or JDK code that they call."""
        for frame in self.frames:
            if frame.startswith("reactor/core/") or frame.startswith("reactor/util/"):
                return True
            if room_of(frame) or frame.startswith("io/netty/"):
                return False
        return False

    def innermost(self):
        call = self.kernel_call()
        return f"kernel: {call}" if call else plain(self.frames[0]) if self.frames else "none"

    def innermost_java(self):
        """The innermost method outside of the JDK."""
        java = [frame for frame in self.frames if is_java(frame)]
        ours = [frame for frame in java if not frame.startswith(("java/", "jdk/", "sun/"))]
        return plain((ours or java or ["no Java frame"])[0])


def room_of(frame, cache={}):
    if frame not in cache:
        cache[frame] = next((room for room, pattern in FRAMES if pattern.match(frame)), None)
    return cache[frame]


def is_java(frame):
    return bool(JAVA.match(frame)) and not frame.endswith("_[k]")


def plain(frame):
    """Class and method without the package."""
    name = SUFFIX.sub("", frame)
    return name.rsplit("/", 1)[1] if is_java(frame) else name


def read(path, event):
    has_class = event in ("alloc", "lock")
    with open(path, encoding="utf-8", errors="replace") as lines:
        return [Sample(line, has_class) for line in lines if line.strip()]


def tally(samples, name):
    counted = collections.Counter()
    for sample in samples:
        key = name(sample)
        if key is not None:
            counted[key] += sample.weight
    return counted


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if part else ""


def amount(event, weight, seconds, requests):
    if event == "cpu":
        each = f", {weight * CPU_SECONDS * 1e6 / requests:.0f} us for each request" if requests else ""
        return f"{weight:,} samples, {weight * CPU_SECONDS / seconds:.2f} processors{each}"
    if event == "alloc":
        each = f", {weight / requests:,.0f} bytes for each request" if requests else ""
        return f"{weight / seconds / 2**20:,.1f} MiB/s{each}"
    if event == "lock":
        return f"{weight / 1e6:,.1f} ms waited in {seconds:g} s"
    return f"{weight:,} samples"


def shares(event, recordings):
    """Rooms as rows, recordings as columns."""
    columns = [(tally(samples, Sample.room), sum(s.weight for s in samples)) for _, _, _, samples in recordings]
    rows = [
        [room] + [percent(rooms[room], total) for rooms, total in columns]
        for room in ROOMS
        if any(rooms[room] for rooms, _ in columns)
    ]
    reactor = [
        percent(sum(s.weight for s in samples if s.room() not in (KERNEL, GC, JIT, JVM) and s.is_reactor()), total)
        for (_, _, _, samples), (_, total) in zip(recordings, columns)
    ]
    if any(reactor):
        rows.append(["*of all, in Reactor's operators*"] + reactor)
    table(["room"] + [name for name, _, _, _ in recordings], rows)


def kernel(recordings):
    columns = []
    for _, _, _, samples in recordings:
        calls = collections.Counter()
        for sample in samples:
            if sample.room() == KERNEL:
                calls[sample.asked()] += sample.weight
        columns.append((calls, sum(s.weight for s in samples)))
    names = {name for calls, total in columns for name, weight in calls.items() if weight >= 0.003 * total}
    ordered = sorted(names, key=lambda name: -sum(calls[name] / total for calls, total in columns))
    if ordered:
        print("The kernel, by system call and requesting room:")
        print()
        rows = [[name] + [percent(calls[name], total) for calls, total in columns] for name in ordered]
        table(["system call, for"] + [name for name, _, _, _ in recordings], rows)


def top(title, counted, total, count, requests=None):
    rows = []
    for name, weight in counted.most_common(count):
        row = [f"`{name}`", percent(weight, total)]
        if requests:
            row.append(f"{weight / requests:,.0f}")
        rows.append(row)
    table([title, "share"] + (["bytes/request"] if requests else []), rows)


def tell(event, recordings, count):
    title, _ = EVENTS[event]
    print(f"## {title}")
    print()
    recordings = [recording for recording in recordings if recording[3]]
    if not recordings:
        print("No samples.")
        print()
        return
    for name, seconds, requests, samples in recordings:
        print(f"- {name}: {amount(event, sum(s.weight for s in samples), seconds, requests)}")
    print()
    shares(event, recordings)
    if event in ("cpu", "wall"):
        kernel(recordings)
    for name, seconds, requests, samples in recordings:
        total = sum(sample.weight for sample in samples)
        print(f"### {title}: {name}")
        print()
        if event in ("cpu", "wall"):
            rest = [sample for sample in samples if sample.room() not in (GC, JIT)]
            top("innermost frame, without GC and JIT", tally(rest, Sample.innermost), total, count)
            rest = [sample for sample in rest if sample.room() != KERNEL]
            top("innermost method outside of the JDK, without the kernel", tally(rest, Sample.innermost_java), total, count)
        else:
            each = requests if event == "alloc" else None
            top("class", tally(samples, lambda sample: sample.type), total, count, each)
            top("by", tally(samples, Sample.innermost_java), total, count, each)


RULE = """Each sample counts once. Threads of GC, of JIT and of the JVM itself count for these. Samples in the kernel count for the
kernel; a second table splits them by system call and requesting room. Any other sample counts for the innermost frame that belongs to a
room, by its package. Frames of the JDK, of Reactor, of Netty's buffers and of other libraries count for their callers: an operator
of Reactor that passes an answer on counts for the room that gave the answer, even if another room has created the operator. A stack without
such a frame counts for the room that owns the thread; a stack without Java frames, for the JVM. *HTTP* is `io.quorate.api`, all of Spring
and the HTTP of Netty and Reactor Netty; *coordination* coordinator, replica, ring, membership and clock; *internode* RSocket, too;
*metrics* Micrometer and all classes of Quorate for meters."""


def main():
    parser = argparse.ArgumentParser(description="Summarizes the recordings of tools/profile in Markdown.")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--top", type=int, default=15, metavar="N", help="number of frames of each kind (%(default)s)")
    options = parser.parse_args()
    listed = options.directory / "recordings"
    if not listed.is_file():
        sys.exit(f"{options.directory} has no file 'recordings': tools/profile has not made this directory")
    recordings = []
    for line in listed.read_text(encoding="utf-8").splitlines():
        name, seconds, requests = line.split("\t")
        recordings.append((name, float(seconds), None if requests == "-" else float(requests)))
    print(RULE)
    print()
    for event in EVENTS:
        found = [
            (name, seconds, requests, read(options.directory / f"{name}-{event}.collapsed", event))
            for name, seconds, requests in recordings
            if (options.directory / f"{name}-{event}.collapsed").is_file()
        ]
        if found:
            tell(event, found, options.top)


if __name__ == "__main__":
    main()
