package io.quorate.client;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The body of a request, which is sent once at most. It knows if a byte of the request
 * may have left: the JDK asks for the length of the body after it has a connection, with
 * the handshake of TLS, and before it writes the head, which has that length. A request
 * that was abandoned before is never sent, also if its connection comes later.
 */
final class SentBody implements BodyPublisher {

	/* With this property the JDK repeats each request whose connection breaks. */
	private static final boolean IS_REPEATED_BY_JDK = isSet(System.getProperty("jdk.httpclient.enableAllMethodRetry"));

	private final BodyPublisher bytes;

	private final Runnable progress;

	private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

	private final AtomicBoolean isSubscribed = new AtomicBoolean();

	/**
	 * Creates a body.
	 * @param bytes its bytes
	 * @param progress an action for each piece that the connection takes
	 */
	SentBody(byte[] bytes, Runnable progress) {
		this.bytes = BodyPublishers.ofByteArray(bytes);
		this.progress = progress;
	}

	/**
	 * Sees to it that the request is not sent from now on.
	 * @return whether a byte of it may have left already
	 */
	boolean abandon() {
		return !this.state.compareAndSet(State.NEW, State.ABANDONED) && this.state.get() == State.BEGUN;
	}

	private static boolean isSet(@Nullable String property) {
		return property != null && (property.isEmpty() || Boolean.parseBoolean(property));
	}

	@Override
	public long contentLength() {
		if (this.state.get() == State.BEGUN && IS_REPEATED_BY_JDK) {
			// The only sign of a repetition if there are no bytes to subscribe to.
			throw new IllegalStateException("the connection broke, and the request is not sent twice");
		}
		if (!this.state.compareAndSet(State.NEW, State.BEGUN) && this.state.get() == State.ABANDONED) {
			throw new IllegalStateException("the request was abandoned");
		}
		return this.bytes.contentLength();
	}

	@Override
	public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
		if (!this.isSubscribed.compareAndSet(false, true)) {
			// With jdk.httpclient.enableAllMethodRetry the JDK would repeat a write by
			// itself.
			subscriber.onSubscribe(new NoBytes());
			subscriber.onError(new IOException("the connection broke, and the request is not sent twice"));
			return;
		}
		this.bytes.subscribe(new Watched(subscriber));
	}

	private enum State {

		NEW, BEGUN, ABANDONED

	}

	/** A subscription to nothing. */
	private static final class NoBytes implements Flow.Subscription {

		@Override
		public void request(long count) {
		}

		@Override
		public void cancel() {
		}

	}

	/** A subscriber whose pieces are signs of progress. */
	private final class Watched implements Flow.Subscriber<ByteBuffer> {

		private final Flow.Subscriber<? super ByteBuffer> subscriber;

		Watched(Flow.Subscriber<? super ByteBuffer> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public void onSubscribe(Flow.Subscription subscription) {
			this.subscriber.onSubscribe(subscription);
		}

		@Override
		public void onNext(ByteBuffer piece) {
			SentBody.this.progress.run();
			this.subscriber.onNext(piece);
		}

		@Override
		public void onError(Throwable failure) {
			this.subscriber.onError(failure);
		}

		@Override
		public void onComplete() {
			this.subscriber.onComplete();
		}

	}

}
