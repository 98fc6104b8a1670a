package io.quorate.api.request;

import java.util.Objects;

import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import io.quorate.meter.TraceContext;
import io.quorate.security.access.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/**
 * One request under {@code /v0}, from its first filter to the head of its answer or the
 * loss of its client, whichever comes first: it ends once. Its fields are written before
 * its coordinator is called, on the event loop.
 */
public final class ClientRequest {

	/**
	 * A listener to one request. Called on the event loop, or the thread that ends it.
	 */
	public interface Listener {

		/** The value that the client sends is complete. */
		void valueCame(int sizeBytes);

		/** The answer is a value. */
		void valueGoes(int sizeBytes);

		/** The request has ended, and its timeline is closed. */
		void ended(ClientRequest request, Outcome outcome);

	}

	private static final String ATTRIBUTE = ClientRequest.class.getName();

	private final @Nullable Operation operation;

	private final Listener listener;

	private final RequestTimeline timeline;

	private @Nullable Key key;

	private @Nullable Consistency consistency;

	private long sizeBytes = -1;

	private boolean isBodyRead;

	/* What ends it meanwhile may be another thread. */
	private volatile boolean isWaiting;

	private int status;

	private @Nullable Caller caller;

	/**
	 * A request that begins.
	 * @param operation its operation, {@code null} for one that is not measured
	 * @param place its place in a trace that is sampled, {@code null} for none
	 */
	public ClientRequest(@Nullable Operation operation, @Nullable TraceContext place, Listener listener) {
		this.operation = operation;
		this.timeline = new RequestTimeline(System.nanoTime(), place);
		this.listener = listener;
	}

	/** Attaches the request to its exchange, where other classes find it. */
	public ClientRequest attachedTo(ServerWebExchange exchange) {
		exchange.getAttributes().put(ATTRIBUTE, this);
		return this;
	}

	/** The request of an exchange under {@code /v0}. */
	public static ClientRequest of(ServerWebExchange exchange) {
		return exchange.getRequiredAttribute(ATTRIBUTE);
	}

	/** The request of any exchange, {@code null} if it is not under {@code /v0}. */
	public static @Nullable ClientRequest find(ServerWebExchange exchange) {
		return exchange.getAttribute(ATTRIBUTE);
	}

	/** Notes that its sender has passed the gate. */
	public void sentBy(Caller its) {
		this.caller = its;
	}

	/** Its sender, who has passed the gate. */
	public Caller caller() {
		return Objects.requireNonNull(this.caller, "a request that has not passed the gate");
	}

	/** Notes the key and the quorum of the request. */
	public void concerns(Key key, Consistency consistency) {
		this.key = key;
		this.consistency = consistency;
	}

	/** Notes the quorum of a request for several keys. */
	public void concerns(Consistency consistency) {
		this.consistency = consistency;
	}

	/** Notes that its body is read: its time counts from now on. */
	public void bodyRead(int sizeBytes) {
		this.isBodyRead = true;
		this.sizeBytes = sizeBytes;
		this.timeline.restart(System.nanoTime());
		if (this.operation == Operation.PUT) {
			caller().wrote(sizeBytes);
			this.listener.valueCame(sizeBytes);
		}
	}

	/** Notes that it waits as its client asked for: that is the client's time. */
	public void waits() {
		this.isWaiting = true;
	}

	/** Notes that it has waited: its time counts from now on. */
	public void waited() {
		this.isWaiting = false;
		this.timeline.restart(System.nanoTime());
	}

	/** Notes that a value is its answer. */
	public void answeredBy(int sizeBytes) {
		this.sizeBytes = sizeBytes;
		this.listener.valueGoes(sizeBytes);
	}

	/** Ends the request, because the head of its answer is handed over. */
	public void answered(int status) {
		if (this.caller != null) {
			this.caller.served();
		}
		end(Outcome.of(status), status);
	}

	/** Ends the request, because its client has gone. */
	public void cancelled() {
		end(Outcome.CANCELLED, 0);
	}

	private void end(Outcome outcome, int status) {
		if (isBodyAwaited() || this.isWaiting) {
			this.timeline.restart(System.nanoTime());
		}
		if (this.timeline.close(System.nanoTime())) {
			this.status = status;
			this.listener.ended(this, outcome);
		}
	}

	/** Its operation, {@code null} when it is not measured. */
	public @Nullable Operation operation() {
		return this.operation;
	}

	/** The status of its answer, 0 if there is none. */
	public int status() {
		return this.status;
	}

	/** Its timeline so far. */
	public RequestTimeline timeline() {
		return this.timeline;
	}

	/** The key that it concerns, {@code null} if there is none. */
	public @Nullable Key key() {
		return this.key;
	}

	/** The consistency that it asks for, {@code null} while that is not known. */
	public @Nullable Consistency consistency() {
		return this.consistency;
	}

	/** Bytes of the value that came or goes, negative if there is none. */
	public long sizeBytes() {
		return this.sizeBytes;
	}

	boolean isBodyRead() {
		return this.isBodyRead;
	}

	/**
	 * Whether its client has not sent the whole body yet, so that the time is the
	 * client's.
	 */
	private boolean isBodyAwaited() {
		return this.operation != null && this.operation.hasBody() && !this.isBodyRead;
	}

}
