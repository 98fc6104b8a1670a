package io.quorate.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
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
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;

/**
 * One body on its way in. A body of declared size is copied, piece by piece, to where it
 * stays; of another the pieces are kept until their number of bytes is known. Small
 * pieces are gathered, because each kept piece pins the buffer that it was read into.
 * <p>
 * Pieces come on the event loop, the sweep checks from its own thread: both under the
 * lock of this object. Invariants: (1) once done, no piece is kept; (2) the permit is
 * either closed here or handed over with the body.
 */
final class BodyReading implements CoreSubscriber<DataBuffer>, IdleSweep.Watched {

	private static final int SMALL_BYTES = 1024;

	private static final int GATHER_BYTES = 8 * 1024;

	private final MonoSink<Body> sink;

	private final Admission.Permit permit;

	private final byte @Nullable [] target;

	private final int maxSizeBytes;

	private final long idleLimitNanos;

	private final List<DataBuffer> pieces = new ArrayList<>();

	private @Nullable DataBuffer gather;

	private @Nullable Subscription subscription;

	private int size;

	private long lastNanos = System.nanoTime();

	private boolean done;

	/**
	 * A body of which nothing has come yet.
	 * @param declared its size as the client declared it, negative if it did not
	 */
	BodyReading(MonoSink<Body> sink, Admission.Permit permit, long declared, int maxSizeBytes, Duration idleLimit) {
		this.sink = sink;
		this.permit = permit;
		this.target = (declared >= 0) ? new byte[Math.toIntExact(declared)] : null;
		this.maxSizeBytes = maxSizeBytes;
		this.idleLimitNanos = idleLimit.toNanos();
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
		if (this.done || length == 0) {
			DataBufferUtils.release(piece);
			return null;
		}
		if (length > this.maxSizeBytes - this.size) {
			DataBufferUtils.release(piece);
			return Bodies.tooLarge(this.maxSizeBytes);
		}
		this.lastNanos = System.nanoTime();
		try {
			keep(piece, length);
		}
		catch (RefusedException refused) {
			DataBufferUtils.release(piece);
			return refused;
		}
		this.size += length;
		return null;
	}

	private void keep(DataBuffer piece, int length) {
		if (this.target != null) {
			piece.read(this.target, this.size, length);
			DataBufferUtils.release(piece);
			return;
		}
		this.permit.grow(length);
		if (length < SMALL_BYTES) {
			gatherFor(length).write(piece);
			DataBufferUtils.release(piece);
		}
		else {
			this.gather = null;
			this.pieces.add(piece);
		}
	}

	private DataBuffer gatherFor(int length) {
		DataBuffer current = this.gather;
		if (current == null || current.writableByteCount() < length) {
			current = DefaultDataBufferFactory.sharedInstance.allocateBuffer(GATHER_BYTES);
			this.pieces.add(current);
			this.gather = current;
		}
		return current;
	}

	@Override
	public void onComplete() {
		Body body;
		synchronized (this) {
			if (this.done) {
				return;
			}
			if (this.target == null || this.size == this.target.length) {
				this.done = true;
				body = new Body(value(), this.permit);
			}
			else {
				body = null;
			}
		}
		if (body != null) {
			this.sink.success(body);
		}
		else {
			fail(ProblemException.badRequest("the body ended before its Content-Length"));
		}
	}

	private Value value() {
		byte[] bytes = (this.target != null) ? this.target : new byte[this.size];
		int at = 0;
		for (DataBuffer piece : this.pieces) {
			int length = piece.readableByteCount();
			piece.read(bytes, at, length);
			at += length;
		}
		releasePieces();
		return Value.wrap(bytes);
	}

	@Override
	public void onError(Throwable error) {
		fail(error);
	}

	@Override
	public void check(long nowNanos) {
		boolean idle;
		synchronized (this) {
			idle = nowNanos - this.lastNanos > this.idleLimitNanos;
		}
		if (idle) {
			fail(new ProblemException(Problem
				.of("body-idle", 408, "Request Timeout",
						"nothing of the body came for %d ms".formatted(this.idleLimitNanos / 1_000_000))
				.withHeader(HttpHeaders.CONNECTION, "close")));
		}
	}

	/**
	 * Stops the reading, if it still goes on, and gives everything back.
	 * @return whether it still went on
	 */
	boolean cancel() {
		Subscription upstream;
		synchronized (this) {
			if (this.done) {
				return false;
			}
			this.done = true;
			releasePieces();
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

	private void releasePieces() {
		this.pieces.forEach(DataBufferUtils::release);
		this.pieces.clear();
		this.gather = null;
	}

}
