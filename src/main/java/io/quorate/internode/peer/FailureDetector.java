package io.quorate.internode.peer;

import java.time.Duration;
import java.util.function.Consumer;

import io.quorate.internode.context.PeerContext;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.security.Printable;

/**
 * The failure detector of one connection: sends keep-alives, and judges by their answers
 * whether a quiet peer is silent or only slow. Belongs to the event loop of the
 * connection.
 */
final class FailureDetector {

	/** The connection that is judged. */
	interface Line {

		/** Sends a request to which no limit applies but this time. */
		void ask(Request request, Duration limit, Consumer<Reply> outcome);

		/** Ends the connection. */
		void end(String why);

	}

	/** A listener to the judgement. Called on the connection's event loop. */
	interface Listener {

		void suspicionChanged();

		/**
		 * Nothing is heard on a connection whose silence alone says little; called
		 * repeatedly.
		 */
		void silent();

		void pong(Reply.Pong pong, RoundTrip roundTrip);

	}

	/* A keep-alive may have large values before it. */
	private static final int PATIENCE = 10;

	/* Of a reply that is none to a keep-alive. */
	private static final int MAX_PRINTED = 200;

	private final Line line;

	private final String peer;

	private final InFlightRequests inFlightRequests;

	private final PeerContext context;

	private final boolean judged;

	private final Listener listener;

	private final long suspectNanos;

	/* Silence after which a keep-alive is sent, and least time for its answer. */
	private final long doubtNanos;

	private final Duration disconnectAfter;

	private boolean asked;

	private long silentWhenAskedNanos;

	private volatile boolean suspect;

	private boolean over;

	/**
	 * A detector that has sent no keep-alive yet.
	 * @param judged whether silence means something: not where large values delay the
	 * keep-alives
	 */
	FailureDetector(Line line, String peer, InFlightRequests inFlightRequests, PeerContext context, boolean judged,
			Listener listener) {
		this.line = line;
		this.peer = peer;
		this.inFlightRequests = inFlightRequests;
		this.context = context;
		this.judged = judged;
		this.listener = listener;
		this.suspectNanos = context.properties().suspectAfter().toNanos();
		this.doubtNanos = this.suspectNanos / 2;
		this.disconnectAfter = context.properties().disconnectAfter();
	}

	/** Sends a keep-alive, unless one is under way. */
	void ask() {
		if (this.asked || this.over) {
			return;
		}
		long sent = this.context.clock().nanos();
		long asked = this.context.clock().bootNanos();
		this.asked = true;
		this.silentWhenAskedNanos = this.inFlightRequests.silentForNanos();
		this.line.ask(
				new Request.Ping(this.context.clock().physicalMillis(),
						this.context.exchanges().statuses().dataStatus(this.peer)),
				this.disconnectAfter.multipliedBy(PATIENCE),
				(reply) -> answered(reply, new RoundTrip(this.context.clock().nanos() - sent, asked)));
	}

	private void answered(Reply reply, RoundTrip roundTrip) {
		this.asked = false;
		switch (reply) {
			case Reply.Pong pong -> this.listener.pong(pong, roundTrip);
			default -> this.line.end("no answer to a keep-alive: " + Printable.of(reply, MAX_PRINTED));
		}
	}

	/** Sends a keep-alive if nothing has been heard for a while. */
	void probe() {
		if (this.inFlightRequests.notHeardForNanos() > this.doubtNanos) {
			ask();
		}
	}

	/**
	 * Nothing has been heard for so long with work outstanding. The detector sends a
	 * keep-alive before it suspects, so that a slow disk is not taken for silence. A node
	 * that is itself late suspects, but closes no connection: that would not help it to
	 * catch up.
	 */
	void silentFor(long nanos, boolean late) {
		if (nanos <= this.doubtNanos) {
			return;
		}
		if (!this.judged) {
			this.listener.silent();
		}
		else if (nanos > this.disconnectAfter.toNanos() && !late) {
			this.line.end("silent for %d ms".formatted(this.disconnectAfter.toMillis()));
		}
		else if (!this.asked) {
			ask();
		}
		else if (!this.suspect && nanos > this.suspectNanos && nanos - this.silentWhenAskedNanos > this.doubtNanos) {
			this.suspect = true;
			this.listener.suspicionChanged();
		}
	}

	/** Something has been heard. */
	void heard() {
		if (this.suspect) {
			this.suspect = false;
			this.listener.suspicionChanged();
		}
	}

	boolean isSuspect() {
		return this.suspect;
	}

	/** The connection is over. */
	void end() {
		this.over = true;
		this.suspect = false;
	}

}
