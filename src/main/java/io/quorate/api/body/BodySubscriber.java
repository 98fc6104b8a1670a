package io.quorate.api.body;

import java.time.Duration;
import java.util.Arrays;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.transport.LeastRate;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;

/**
 * One body while it is read. It is copied, piece by piece, to its final array, which
 * grows with the bytes that have come: a client holds no more than about twice the bytes
 * that it has sent, and all of that is admitted.
 * <p>
 * Pieces come on the event loop, the sweep checks from its own thread: both under the
 * lock of this object. Invariant: the permit is either closed here or handed over with
 * the body.
 */
final class BodySubscriber implements CoreSubscriber<DataBuffer>, IdleSweep.Watched {

	/** The array of a body grows by so many bytes at least. */
	static final int STEP_BYTES = 4 * 1024;

	private static final byte[] NOTHING = {};

	private final MonoSink<Body> sink;

	private final Admission.Permit permit;

	private final long declared;

	private final int maxSizeBytes;

	private byte[] bytes = NOTHING;

	private @Nullable Subscription subscription;

	private int size;

	private final long beganNanos = System.nanoTime();

	private final Duration grace;

	private final LeastRate rate;

	private boolean wasSlow;

	private boolean done;

	/**
	 * A body of which nothing has come yet.
	 * @param permit of a request that has not begun
	 * @param declared its size as the client declared it, negative if the client did not
	 * @param grace time for which it may come more slowly than the {@link LeastRate}
	 */
	BodySubscriber(MonoSink<Body> sink, Admission.Permit permit, long declared, int maxSizeBytes, Duration grace) {
		this.sink = sink;
		this.permit = permit;
		this.declared = declared;
		this.maxSizeBytes = maxSizeBytes;
		this.grace = grace;
		// Bytes that came fast buy no time: a client that rests holds all of them.
		this.rate = new LeastRate(grace, Duration.ZERO);
	}

	@Override
	public Context currentContext() {
		return Context.of(this.sink.contextView());
	}

	@Override
	public void onSubscribe(Subscription upstream) {
		synchronized (this) {
			this.subscription = upstream;
		}
		upstream.request(Long.MAX_VALUE);
	}

	@Override
	public void onNext(DataBuffer piece) {
		RuntimeException failure = take(piece);
		if (failure != null) {
			fail(failure);
		}
	}

	private synchronized @Nullable RuntimeException take(DataBuffer piece) {
		int length = piece.readableByteCount();
		try {
			if (this.done || length == 0) {
				return null;
			}
			if (length > this.maxSizeBytes - this.size) {
				return BodyReader.tooLarge(this.maxSizeBytes);
			}
			makeRoom(this.size + length);
			piece.read(this.bytes, this.size, length);
			this.size += length;
			return null;
		}
		catch (RefusedException refused) {
			return refused;
		}
		finally {
			DataBufferUtils.release(piece);
		}
	}

	private void makeRoom(int needed) {
		if (needed > this.bytes.length) {
			long most = (this.declared >= 0) ? Math.max(this.declared, needed) : this.maxSizeBytes;
			int room = (int) Math.min(most, Math.max(needed, Math.max(STEP_BYTES, 2L * this.bytes.length)));
			this.permit.arrive(room - this.bytes.length, needed == this.declared);
			this.bytes = Arrays.copyOf(this.bytes, room);
		}
	}

	@Override
	public void onComplete() {
		if (isCutShort()) {
			fail(ProblemException.badRequest("the body ended before its Content-Length"));
			return;
		}
		Body body;
		try {
			body = whole();
		}
		catch (RefusedException refused) {
			fail(refused);
			return;
		}
		if (body != null) {
			this.sink.success(body);
		}
	}

	private synchronized boolean isCutShort() {
		return this.declared >= 0 && this.size < this.declared;
	}

	/** Returns the body, which is a request now; {@code null} if it is wanted no more. */
	private synchronized @Nullable Body whole() {
		if (this.done) {
			return null;
		}
		byte[] all = (this.size == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.size);
		this.permit.begin();
		this.done = true;
		this.permit.tryHold(this.size);
		return new Body(Value.wrap(all), this.permit);
	}

	@Override
	public void onError(Throwable error) {
		fail(error);
	}

	@Override
	public void check(long nowNanos) {
		boolean slow;
		synchronized (this) {
			/*
			 * Seen twice: this node may have stood still, while the bytes that were sent
			 * waited.
			 */
			boolean isSlow = this.rate.isBelow(this.size, nowNanos - this.beganNanos);
			slow = isSlow && this.wasSlow;
			this.wasSlow = isSlow;
		}
		if (slow) {
			fail(new ProblemException(Problem
				.of(ProblemType.BODY_SLOW,
						"the body came at less than %d bytes a second for more than %d ms"
							.formatted(LeastRate.BYTES_PER_SECOND, this.grace.toMillis()))
				.withHeader(HttpHeaders.CONNECTION, "close")));
		}
	}

	/**
	 * Stops the reading, if it still goes on, and releases everything.
	 * @return whether the reading still went on
	 */
	boolean cancel() {
		Subscription upstream;
		synchronized (this) {
			if (this.done) {
				return false;
			}
			this.done = true;
			upstream = this.subscription;
		}
		this.permit.close();
		if (upstream != null) {
			upstream.cancel();
		}
		return true;
	}

	/** Whether nothing more is expected. */
	synchronized boolean isDone() {
		return this.done;
	}

	private void fail(Throwable error) {
		if (cancel()) {
			this.sink.error(error);
		}
	}

}
