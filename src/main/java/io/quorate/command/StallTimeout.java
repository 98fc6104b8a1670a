package io.quorate.command;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The deadline of the body of an answer: when the client waits for bytes, and none come
 * for so long, the answer has failed. The timeout of a request ends with the head of its
 * answer (JDK-8208693). A client that takes its time with what it has is not waited for.
 */
final class StallTimeout<T> implements BodySubscriber<T> {

	private final BodySubscriber<T> body;

	private final long nanos;

	private @Nullable Subscription subscription;

	private long demand;

	private long sinceNanos;

	private boolean isOver;

	private StallTimeout(BodySubscriber<T> body, Duration longest) {
		this.body = body;
		this.nanos = longest.toNanos();
	}

	/** The bodies of a handler, with the deadline. */
	static <T> BodyHandler<T> of(BodyHandler<T> handler, Duration longest) {
		return (head) -> new StallTimeout<>(handler.apply(head), longest);
	}

	@Override
	public CompletionStage<T> getBody() {
		return this.body.getBody();
	}

	@Override
	public void onSubscribe(Subscription source) {
		synchronized (this) {
			this.subscription = source;
		}
		look(this.nanos);
		this.body.onSubscribe(new Subscription() {

			@Override
			public void request(long more) {
				demand(more);
				source.request(more);
			}

			@Override
			public void cancel() {
				end();
				source.cancel();
			}

		});
	}

	private synchronized void demand(long more) {
		if (this.demand == 0) {
			this.sinceNanos = System.nanoTime();
		}
		this.demand = (this.demand > Long.MAX_VALUE - more) ? Long.MAX_VALUE : this.demand + more;
	}

	private synchronized boolean end() {
		boolean isFirst = !this.isOver;
		this.isOver = true;
		return isFirst;
	}

	@Override
	public synchronized void onNext(List<ByteBuffer> bytes) {
		if (!this.isOver) {
			this.demand--;
			this.sinceNanos = System.nanoTime();
			this.body.onNext(bytes);
		}
	}

	@Override
	public void onError(Throwable failure) {
		if (end()) {
			this.body.onError(failure);
		}
	}

	@Override
	public void onComplete() {
		if (end()) {
			this.body.onComplete();
		}
	}

	private void look(long laterNanos) {
		CompletableFuture.delayedExecutor(laterNanos, TimeUnit.NANOSECONDS).execute(this::look);
	}

	private void look() {
		Subscription late;
		synchronized (this) {
			if (this.isOver) {
				return;
			}
			long left = (this.demand > 0) ? this.nanos - (System.nanoTime() - this.sinceNanos) : this.nanos;
			if (left > 0) {
				look(left);
				return;
			}
			this.isOver = true;
			late = this.subscription;
		}
		if (late != null) {
			late.cancel();
		}
		this.body.onError(new HttpTimeoutException(
				"the answer stood still for %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(this.nanos))));
	}

}
