package io.quorate.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * One request to one node, and its answer. All of its state is touched by the events of
 * its call alone. The timeout of the JDK's own requests ends with the head of the answer;
 * so an exchange watches its own time, until the end of the body.
 */
final class Exchange {

	private static final byte[] NOTHING = {};

	private final Transport transport;

	private final Serial serial;

	private final String node;

	private final Request request;

	private final Deadline deadline;

	private final AnswerSink sink;

	private final Runnable onPlace = this::placeCame;

	private State state = State.TOKEN;

	private @Nullable String token;

	private @Nullable SentBody sent;

	private @Nullable CompletableFuture<?> exchange;

	private Flow.@Nullable Subscription body;

	private boolean isComplete;

	private boolean isWanting = true;

	private @Nullable Future<?> check;

	private volatile long lastActivity;

	Exchange(Transport transport, Serial serial, String node, Request request, Deadline deadline, AnswerSink sink) {
		this.transport = transport;
		this.serial = serial;
		this.node = node;
		this.request = request;
		this.deadline = deadline;
		this.sink = sink;
		this.lastActivity = transport.nanos();
	}

	void start() {
		watch();
		CompletableFuture<@Nullable String> unused = this.transport.token()
			.whenComplete((present, failure) -> this.serial.execute(() -> tokenCame(present, failure)));
	}

	/** Asks for more bytes of the body, after the receiver wanted none for a while. */
	void more() {
		if (this.state == State.ENDED || this.isWanting) {
			return;
		}
		this.isWanting = true;
		this.lastActivity = this.transport.nanos();
		watch();
		if (this.body != null) {
			this.body.request(1);
		}
	}

	/**
	 * Ends the exchange without a word to its receiver.
	 * @return whether the node may have the request
	 */
	boolean abandon() {
		boolean wasSent = this.state == State.ANSWER && (this.sent == null || this.sent.abandon());
		end();
		return wasSent;
	}

	private void tokenCame(@Nullable String present, @Nullable Throwable failure) {
		if (this.state == State.ENDED) {
			return;
		}
		if (failure != null) {
			fail((failure instanceof TokenException error) ? error : new TokenException("there is no token", failure));
			return;
		}
		this.token = present;
		this.state = State.PLACE;
		try {
			this.transport.places().enter(this.onPlace, this.request.isUrgent());
		}
		catch (TooManyCallsException full) {
			fail(full);
		}
	}

	private void placeCame() {
		this.serial.execute(() -> {
			if (this.state != State.PLACE) {
				this.transport.places().leave();
				return;
			}
			this.state = State.ANSWER;
			this.lastActivity = this.transport.nanos();
			unwatch();
			watch();
			send();
		});
	}

	private void send() {
		HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(this.node + this.request.target()))
			.header("User-Agent", Transport.USER_AGENT);
		this.request.fields().forEach(builder::header);
		if (this.token != null) {
			builder.header("Authorization", "Bearer " + this.token);
		}
		byte[] bytes = this.request.body();
		if (bytes != null) {
			this.sent = new SentBody(bytes, () -> this.lastActivity = this.transport.nanos());
			builder.method(this.request.method(), this.sent);
		}
		else {
			builder.method(this.request.method(), HttpRequest.BodyPublishers.noBody());
		}
		CompletableFuture<HttpResponse<Void>> response = this.transport.send(builder.build(), (head) -> {
			this.lastActivity = this.transport.nanos();
			this.serial.execute(() -> headCame(head));
			return new Body();
		});
		this.exchange = response;
		CompletableFuture<HttpResponse<Void>> unused = response.whenComplete((done, failure) -> {
			if (failure != null) {
				this.serial.execute(() -> broke(failure));
			}
		});
	}

	private void headCame(HttpResponse.ResponseInfo info) {
		if (this.state != State.ENDED) {
			tell(() -> {
				Answer head = new Answer(this.node, info.statusCode(), info.headers(), NOTHING);
				Answers.checkEncoding(head);
				this.sink.head(head);
			});
		}
	}

	private void bodyBegan(Flow.Subscription subscription) {
		if (this.state == State.ENDED) {
			subscription.cancel();
			return;
		}
		this.body = subscription;
		if (this.isWanting) {
			subscription.request(1);
		}
	}

	private void bytesCame(List<ByteBuffer> pieces) {
		if (this.state == State.ENDED) {
			return;
		}
		this.isWanting = false;
		tell(() -> {
			boolean wantsMore = true;
			for (ByteBuffer piece : pieces) {
				wantsMore = this.sink.bytes(piece);
			}
			if (this.deadline.isOver() && wantsMore) {
				timedOut();
			}
			else if (wantsMore) {
				more();
			}
		});
	}

	private void bodyEnded() {
		if (this.state != State.ENDED) {
			this.isComplete = true;
			end();
			tell(this.sink::end);
		}
	}

	private void broke(Throwable failure) {
		if (this.state == State.ENDED) {
			return;
		}
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		boolean wasSent = this.sent == null || this.sent.abandon();
		String reason = (wasSent && !(cause instanceof ConnectException)) ? reason(cause) : notConnected(cause);
		fail(wasSent ? TransportException.sent(reason, cause) : TransportException.notSent(reason, cause));
	}

	/* The classes of the JDK say more than their messages, and nothing to a user. */
	private static String notConnected(Throwable cause) {
		if (cause instanceof SSLException) {
			return reason(cause);
		}
		if (cause.getCause() instanceof UnresolvedAddressException) {
			return "no connection: there is no host of this name";
		}
		if (cause instanceof HttpTimeoutException) {
			return "no connection: the node does not answer";
		}
		return (cause.getMessage() != null) ? "no connection: " + cause.getMessage() : "no connection";
	}

	private static String reason(Throwable cause) {
		String message = cause.getMessage();
		if (cause instanceof SSLException) {
			return "no secure connection: " + insecure(String.valueOf(message));
		}
		if (cause instanceof HttpConnectTimeoutException) {
			return "no connection: the node does not answer";
		}
		if (message == null || message.contains("received no bytes") || cause instanceof EOFException
				|| cause.getCause() instanceof EOFException) {
			return "the connection was lost";
		}
		if (message.startsWith("chunked") || message.startsWith("fixed content-length")) {
			return "the answer was broken off";
		}
		return message;
	}

	private static String insecure(String message) {
		if (message.contains("validity check") || message.contains("NotAfter") || message.contains("NotBefore")) {
			return "the certificate of the node is not valid at this time";
		}
		if (message.contains("PKIX") || message.contains("certification path")) {
			return "the certificate of the node is of no authority that the client trusts";
		}
		if (message.contains("Unsupported or unrecognized SSL message") || message.contains("plaintext")) {
			return "the node speaks no TLS here: its URL may be http";
		}
		if (message.contains("No subject alternative") || message.contains("No name matching")) {
			return "the certificate of the node is for another host: " + message.substring(message.indexOf("No "));
		}
		return message.replaceFirst("^\\([a-z_]+\\) ", "");
	}

	/* Of many checks one is waiting at a time; when it is too early, it waits again. */
	private void watch() {
		if (this.check == null && this.isWanting) {
			try {
				this.check = this.transport.schedule(() -> this.serial.execute(this::check), Math.max(0, left()));
			}
			catch (RejectedExecutionException closed) {
				this.serial.execute(() -> broke(new IOException("the client is closed", closed)));
			}
		}
	}

	private void unwatch() {
		if (this.check != null) {
			this.check.cancel(false);
			this.check = null;
		}
	}

	private void check() {
		this.check = null;
		if (this.state == State.ENDED || !this.isWanting) {
			return;
		}
		if (left() <= 0) {
			timedOut();
		}
		else {
			watch();
		}
	}

	private long left() {
		long left = this.deadline.left();
		if (this.state == State.ANSWER) {
			left = Math.min(left, this.deadline.silence() - (this.transport.nanos() - this.lastActivity));
		}
		return left;
	}

	private void timedOut() {
		switch (this.state) {
			case TOKEN -> fail(new TokenException("the token did not come before the deadline", null));
			case PLACE -> fail(TransportException.ofClient("no connection of the client was free"));
			default -> {
				String after = this.deadline.isOver() ? "until the deadline"
						: "for " + TimeUnit.NANOSECONDS.toMillis(this.deadline.silence()) + " ms";
				if (this.sent == null || this.sent.abandon()) {
					fail(TransportException.sent("no end of the answer, and no more of it " + after, null));
				}
				else {
					fail(TransportException.notSent("no connection " + after, null));
				}
			}
		}
	}

	private void tell(Runnable event) {
		try {
			event.run();
		}
		catch (QuorateException failure) {
			fail(failure);
		}
	}

	private void fail(Exception failure) {
		end();
		this.sink.failed(failure);
	}

	private void end() {
		State before = this.state;
		this.state = State.ENDED;
		unwatch();
		if (before == State.PLACE) {
			this.transport.places().giveUp(this.onPlace);
		}
		if (before != State.ANSWER) {
			return;
		}
		if (!this.isComplete) {
			if (this.sent != null) {
				this.sent.abandon();
			}
			if (this.exchange != null) {
				this.exchange.cancel(true);
			}
			if (this.body != null) {
				this.body.cancel();
			}
		}
		this.transport.places().leave();
	}

	private enum State {

		/** Waits for the token. */
		TOKEN,

		/** Waits for a place. */
		PLACE,

		/** Waits for the answer. */
		ANSWER,

		ENDED

	}

	/** The body of the answer, as the JDK hands it over. */
	private final class Body implements HttpResponse.BodySubscriber<Void> {

		@Override
		public CompletableFuture<Void> getBody() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void onSubscribe(Flow.Subscription subscription) {
			Exchange.this.serial.execute(() -> bodyBegan(subscription));
		}

		@Override
		public void onNext(List<ByteBuffer> pieces) {
			Exchange.this.lastActivity = Exchange.this.transport.nanos();
			Exchange.this.serial.execute(() -> bytesCame(pieces));
		}

		@Override
		public void onError(Throwable failure) {
			Exchange.this.serial.execute(() -> broke(failure));
		}

		@Override
		public void onComplete() {
			Exchange.this.serial.execute(Exchange.this::bodyEnded);
		}

	}

}
