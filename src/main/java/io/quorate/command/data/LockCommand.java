package io.quorate.command.data;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.quorate.client.HeldLock;
import io.quorate.client.LockLostException;
import io.quorate.client.LockedException;
import io.quorate.client.QuorateClient;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.Signals;
import io.quorate.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * The subcommand {@code lock}: runs a command while no other one has the same lock. The
 * client renews the lock on a thread of its own, until the command has ended.
 */
@Command(name = "lock", header = "Runs a command under a lock, which one holder at a time has.",
		exitCodeListHeading = "%nExit codes: that of CMD, or%n",
		exitCodeList = { "2:the arguments cannot be used", "123:the lock was lost before CMD had ended",
				"124:another one had the lock for as long as --wait says",
				"125:no node could answer, or it has refused", "127:CMD cannot be run" },
		footer = { "",
				"The lock is the key lock:NAME, which expires unless the command renews it. CMD finds its fencing token in "
						+ "QUORATE_LOCK_TOKEN: each holder has a greater one, as text, than all before. Have what CMD changes refuse lower "
						+ "ones.",
				"When the lock is lost, CMD and all that it has begun get TERM, and KILL before another one can have the lock. TERM, "
						+ "INT and HUP are passed on to them." })
public final class LockCommand implements Callable<Integer> {

	private static final int LOST = 123;

	private static final int LOCKED = 124;

	private static final int FAILED = 125;

	private static final int NO_PROGRAM = 127;

	private static final Duration SHORTEST = Duration.ofSeconds(5);

	/* Of each request, with its repetitions. */
	private static final Duration DEADLINE = Duration.ofSeconds(30);

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Option(names = "--ttl", defaultValue = "30s", paramLabel = "DURATION", converter = TimeToLive.class,
			description = "The time after which the lock of a holder that has stopped ends. Default: ${DEFAULT-VALUE}.")
	private Duration timeToLive = Duration.ZERO;

	@Option(names = "--wait", defaultValue = "365d", paramLabel = "DURATION", converter = Wait.class,
			description = "The most time to wait for another holder, 0s for none. Default: as long as it takes.")
	private Duration wait = Duration.ZERO;

	@Parameters(index = "0", paramLabel = "NAME", converter = LockKey.class, description = "The name of the lock.")
	private String key = "";

	@Parameters(index = "1..*", arity = "1..*", paramLabel = "-- CMD", description = "The command.")
	private List<String> command = List.of();

	LockCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		if (this.timeToLive.compareTo(SHORTEST) < 0) {
			throw new CommandException(ExitCode.MISUSED, "--ttl is at least 5s");
		}
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			HeldLock lock = acquire(cluster);
			int status = run(lock);
			return lock.isHeld() ? release(cluster, lock, status) : LOST;
		}
	}

	private HeldLock acquire(Cluster cluster) {
		try {
			return cluster.call(this::acquire);
		}
		catch (CommandException failure) {
			int status = (failure.getCause() instanceof LockedException) ? LOCKED : FAILED;
			throw new CommandException(status, String.valueOf(failure.getMessage()), failure);
		}
	}

	/* A cluster that cannot answer at first is no reason to wait. */
	private HeldLock acquire(QuorateClient client) {
		QuorateClient brief = client.with((options) -> options.deadline(DEADLINE));
		try {
			return brief.lock(this.key, this.timeToLive, Duration.ZERO);
		}
		catch (LockedException locked) {
			if (this.wait.isZero()) {
				throw locked;
			}
			say(locked.getMessage() + ", which is waited for");
			return brief.lock(this.key, this.timeToLive, this.wait);
		}
	}

	private int run(HeldLock lock) {
		CompletableFuture<LockedProcess> running = new CompletableFuture<>();
		try (Signals _ = Signals.handle((signal) -> {
			var _ = running.thenAccept((process) -> process.pass(signal));
		})) {
			LockedProcess process = LockedProcess.start(this.command, lock.token());
			running.complete(process);
			CompletableFuture<Void> ended = new CompletableFuture<>();
			lock.onLost(() -> {
				say(this.key + " is lost: " + this.command.getFirst() + " is ended");
				var _ = process.end(grace()).thenAccept(ended::complete);
			});
			int status = process.await();
			if (lock.isHeld()) {
				return status;
			}
			ended.join();
			return LOST;
		}
		catch (IOException failure) {
			say(String.valueOf(failure.getMessage()).strip());
			return NO_PROGRAM;
		}
	}

	/* Half of the margin, at whose end another one may have the lock. */
	private Duration grace() {
		return Duration.ofSeconds(1).plus(this.timeToLive.dividedBy(10)).dividedBy(2);
	}

	private int release(Cluster cluster, HeldLock lock, int status) {
		try {
			cluster.call((client) -> {
				lock.release();
				return status;
			});
			return status;
		}
		catch (CommandException failure) {
			say(this.key + " is not released: " + failure.getMessage());
			return (failure.getCause() instanceof LockLostException) ? LOST : status;
		}
	}

	private void say(String message) {
		this.terminal.err().println("quorate: " + message);
		this.terminal.err().flush();
	}

	/** The key of a lock, by its name. */
	static final class LockKey implements ITypeConverter<String> {

		@Override
		public String convert(String text) {
			if (text.isEmpty()) {
				throw new TypeConversionException("a lock has a name");
			}
			return new KeyConverter().convert("lock:" + text);
		}

	}

	/** A time to wait, perhaps none. */
	static final class Wait implements ITypeConverter<Duration> {

		@Override
		public Duration convert(String text) {
			return text.equals("0s") ? Duration.ZERO : new DurationConverter().convert(text);
		}

	}

}
