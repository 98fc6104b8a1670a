package io.quorate.security.access;

import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.DeniedException.Why;
import org.jspecify.annotations.Nullable;

/**
 * The sender of one request that has passed the {@link Gate}. The handler of the request
 * asks it for the rights to keys, before it does anything else. It is counted once: as
 * denied, or as served. Safe for any number of threads.
 */
public final class Caller {

	/** A listener to one request of a sender; makes its denials. */
	interface Listener {

		DeniedException denied(Caller caller, Why why, String detail);

		/** The request has an answer of any kind but a denial. */
		void served(Caller caller);

		void wrote(Caller caller, int bytes);

		/** The request is for operators, and has an answer. */
		void administered(Caller caller, Command command, int status);

		/** The principal that its credential has now, {@code null} when it has none. */
		@Nullable Principal now(Caller caller);

	}

	private final Listener gate;

	private final Principal principal;

	private final Credential credential;

	private final Credentials sent;

	private final AtomicBoolean ended = new AtomicBoolean();

	Caller(Listener gate, Principal principal, Credential credential, Credentials sent) {
		this.gate = gate;
		this.principal = principal;
		this.credential = credential;
		this.sent = sent;
	}

	/** Its principal. */
	public Principal principal() {
		return this.principal;
	}

	/**
	 * The capability to read a key.
	 * @throws DeniedException when the caller may not read it
	 */
	public ReadableKey reading(Key key) {
		if (!this.principal.mayRead(key)) {
			throw outside("read");
		}
		return new ReadableKey(key);
	}

	/**
	 * The capability to read all keys of a range.
	 * @throws DeniedException when the caller may not read them all
	 */
	public ReadableRange reading(ScanRange range) {
		if (!this.principal.mayRead(range)) {
			throw this.gate.denied(this, Why.FORBIDDEN,
					"`%s` may not read this range: none of its prefixes has all of it"
						.formatted(this.principal.name()));
		}
		return new ReadableRange(range);
	}

	/**
	 * The capability to write a key.
	 * @throws DeniedException when the caller may not write it
	 */
	public WritableKey writing(Key key) {
		if (!this.principal.mayWrite(key)) {
			throw outside("write");
		}
		return new WritableKey(key);
	}

	private DeniedException outside(String verb) {
		return this.gate.denied(this, Why.FORBIDDEN,
				"`%s` may not %s keys outside its prefixes".formatted(this.principal.name(), verb));
	}

	/**
	 * Whether it may still read a range: its credentials or rights may be gone by now.
	 */
	public boolean mayStillRead(ScanRange range) {
		Principal now = this.gate.now(this);
		return now != null && now.mayRead(range);
	}

	/** As {@link #mayStillRead(ScanRange)}, of a key. */
	public boolean mayStillRead(Key key) {
		Principal now = this.gate.now(this);
		return now != null && now.mayRead(key);
	}

	/** The end of a request under way, because {@code mayStillRead} is false. */
	public DeniedException revoked() {
		return this.gate.denied(this, Why.FORBIDDEN,
				"`%s` may not read this any more".formatted(this.principal.name()));
	}

	/** Notes that it has sent the bytes of a value. */
	public void wrote(int bytes) {
		this.gate.wrote(this, bytes);
	}

	/** Notes that its request has an answer, if it was not denied. */
	public void served() {
		if (end()) {
			this.gate.served(this);
		}
	}

	/**
	 * Writes a request for operators to the audit log.
	 * @param status the status of its answer, 0 when the client has gone before
	 */
	public void administered(int status) {
		Command command = this.sent.command();
		if (command != null) {
			this.gate.administered(this, command, status);
		}
	}

	/** Ends the request; whether it had not ended yet. */
	boolean end() {
		return this.ended.compareAndSet(false, true);
	}

	Credential credential() {
		return this.credential;
	}

	Credentials sent() {
		return this.sent;
	}

	CredentialKind kind() {
		return this.credential.kind();
	}

	/** A key that a caller may read: only the check of its rights makes one. */
	public static final class ReadableKey {

		private final Key key;

		private ReadableKey(Key key) {
			this.key = key;
		}

		public Key key() {
			return this.key;
		}

	}

	/** A key that a caller may write: only the check of its rights makes one. */
	public static final class WritableKey {

		private final Key key;

		private WritableKey(Key key) {
			this.key = key;
		}

		public Key key() {
			return this.key;
		}

	}

	/** A range that a caller may read: only the check of its rights makes one. */
	public static final class ReadableRange {

		private final ScanRange range;

		private ReadableRange(ScanRange range) {
			this.range = range;
		}

		public ScanRange range() {
			return this.range;
		}

	}

}
