package io.quorate.security.access;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quorate.security.Printable;
import io.quorate.security.access.DeniedException.Why;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log, the logger {@code io.quorate.audit}: one line of {@code name=value}
 * pairs for each request to a path for operators, for each change of the access file, and
 * for the first denial of a principal at an address for a reason in a minute (with the
 * path of the first if it is for operators). No line has a credential, a hash of one, a
 * key or a query. What may change something is always logged. Of requests that only read,
 * and of denials, each principal has {@value #MAX_LINES} lines in a second, and so have
 * all strangers together; the next line says how many were dropped, of whom. Safe for any
 * number of threads.
 */
final class Audit {

	static final int MAX_LINES = 20;

	/* More than an access file has principals. */
	static final int MAX_REMEMBERED = 1024;

	/* Of the principals that one line names. */
	static final int MAX_NAMED = 16;

	private static final String NO_PRINCIPAL = "-";

	private static final Logger log = LoggerFactory.getLogger("io.quorate.audit");

	private static final int MAX_LENGTH = 200;

	private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LongSupplier nanos;

	private final Map<Kind, Denials> denials = new Recent<>();

	/*
	 * Apart, so that no principal drives out the lines about another, and denials none
	 * about what was done.
	 */
	private final Map<String, Budget> reads = new Recent<>();

	private final Map<String, Budget> refusals = new Recent<>();

	/* Lines that were dropped since the last one, by the name of the principal. */
	private final Map<String, Long> dropped = new TreeMap<>();

	/**
	 * An audit log without any line yet.
	 * @param nanos the monotonic clock
	 */
	Audit(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * A request to a path for operators, and its answer.
	 * @param status the status, 0 when the client has gone before
	 */
	void administered(Caller caller, Command command, int status) {
		String name = caller.principal().name();
		if (!command.isRead() || mayWrite(this.reads, name)) {
			write("event=command principal=%s credential=%s address=%s%s status=%s".formatted(name,
					caller.kind().word(), value(caller.sent().address()), words(command),
					(status != 0) ? status : "-"));
		}
	}

	/**
	 * A request that was denied.
	 * @param principal name of its principal, {@code null} when it has none
	 */
	void denied(@Nullable String principal, CredentialKind kind, Credentials sent, Why why) {
		Kind denied = new Kind(principal, kind, sent.address(), why);
		long repeated;
		synchronized (this) {
			long now = this.nanos.getAsLong();
			Denials before = this.denials.get(denied);
			if (before != null && now - before.loggedNanos < MINUTE_NANOS) {
				before.repeated++;
				return;
			}
			repeated = (before != null) ? before.repeated : 0;
			this.denials.put(denied, new Denials(now));
		}
		if (mayWrite(this.refusals, denied.name())) {
			write("event=denied " + denied.words() + words(sent.command())
					+ ((repeated > 0) ? " repeated=" + repeated : ""));
		}
	}

	/** Another access file is in use. */
	void changed(Access.Changes changes) {
		write("event=access-changed added=%s removed=%s changed=%s".formatted(names(changes.added()),
				names(changes.removed()), names(changes.changed())));
	}

	private static String words(@Nullable Command command) {
		return (command != null) ? " method=%s path=%s".formatted(value(command.method()), value(command.path())) : "";
	}

	private static String names(Collection<String> names) {
		return value(names.isEmpty() ? "-" : String.join(",", names));
	}

	/* No space and no quotation mark, so that a line can be split. */
	private static String value(@Nullable Object text) {
		return Printable.of((text != null) ? text : "-", MAX_LENGTH).replace(" ", "\\u0020").replace("\"", "\\u0022");
	}

	private synchronized boolean mayWrite(Map<String, Budget> budgets, String name) {
		long now = this.nanos.getAsLong();
		boolean isWithin = budgets.computeIfAbsent(name, (_) -> new Budget(now)).take(now);
		if (!isWithin) {
			this.dropped.merge(name, 1L, Long::sum);
		}
		return isWithin;
	}

	private void write(String line) {
		log.info("{}{}", line, dropped());
	}

	private synchronized String dropped() {
		if (this.dropped.isEmpty()) {
			return "";
		}
		StringJoiner words = new StringJoiner(",", " dropped=", "");
		this.dropped.entrySet()
			.stream()
			.limit(MAX_NAMED)
			.forEach((each) -> words.add(each.getKey() + ":" + each.getValue()));
		long rest = this.dropped.values().stream().skip(MAX_NAMED).mapToLong(Long::longValue).sum();
		if (rest > 0) {
			words.add("*:" + rest);
		}
		this.dropped.clear();
		return words.toString();
	}

	/** The entries that were used last, a bounded number. */
	private static final class Recent<K, V> extends LinkedHashMap<K, V> {

		private static final long serialVersionUID = 1;

		private Recent() {
			super(16, 0.75f, true);
		}

		@Override
		protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
			return size() > MAX_REMEMBERED;
		}

	}

	/** The lines of one principal in this second. */
	private static final class Budget {

		private long secondBegan;

		private int lines;

		private Budget(long nanos) {
			this.secondBegan = nanos;
		}

		private boolean take(long now) {
			if (now - this.secondBegan >= SECOND_NANOS) {
				this.secondBegan = now;
				this.lines = 0;
			}
			if (this.lines == MAX_LINES) {
				return false;
			}
			this.lines++;
			return true;
		}

	}

	/** The kind of a denial: the first of each in a minute is logged. */
	private record Kind(@Nullable String principal, CredentialKind kind, @Nullable String address, Why why) {

		private String name() {
			return (this.principal != null) ? this.principal : NO_PRINCIPAL;
		}

		private String words() {
			return "principal=%s credential=%s address=%s reason=%s".formatted(name(), this.kind.word(),
					value(this.address), this.why.name().toLowerCase(Locale.ROOT).replace('_', '-'));
		}

	}

	/** Denials of the same kind since one was logged. */
	private static final class Denials {

		private final long loggedNanos;

		private long repeated;

		private Denials(long loggedNanos) {
			this.loggedNanos = loggedNanos;
		}

	}

}
