package io.quorate.api.body;

import java.time.Duration;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.ApiProperties;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.transport.BrokenBody;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ValueLimit;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Reads the bodies of requests, as far as they are allowed and there is room. Admits
 * their bytes as they come.
 */
@Component
public final class BodyReader {

	private final Shares shares;

	private final int maxSizeBytes;

	private final Duration grace;

	private final IdleSweep sweep;

	BodyReader(Shares shares, ValueLimit limit, ApiProperties properties, IdleSweep sweep) {
		this.shares = shares;
		this.maxSizeBytes = limit.maxSizeBytes();
		this.grace = properties.bodyIdleTimeout();
		this.sweep = sweep;
	}

	/**
	 * Reads a body, any content type, to its end. Starts when subscribed, one value,
	 * never empty; cancelling stops the reading and releases everything. A body that
	 * declares too large a size, or one for which there is no room, is refused before
	 * anything of it is read, so that a client that waits for it gets no
	 * {@code 100 Continue}. A body takes room as it comes in, and the place of a request
	 * when it is whole.
	 * @return fails with a {@link ProblemException} (413, 408) or
	 * {@link io.quorate.coordinator.RefusedException}
	 */
	public Mono<Body> read(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		return Mono.<Body>create((sink) -> {
			long declared = request.getHeaders().getContentLength();
			if (declared > this.maxSizeBytes) {
				throw tooLarge(this.maxSizeBytes);
			}
			Admission.Permit permit = this.shares.of(ClientRequest.of(exchange).caller().principal())
				.expect(Math.max(declared, 0));
			BodySubscriber reading = new BodySubscriber(sink, permit, declared, this.maxSizeBytes, this.grace);
			sink.onDispose(() -> {
				this.sweep.forget(reading);
				reading.cancel();
			});
			BrokenBody.guarded(request, exchange.getResponse()).subscribe(reading);
			if (!reading.isDone()) {
				this.sweep.watch(reading);
				if (reading.isDone()) {
					this.sweep.forget(reading);
				}
			}
		})
			.doOnNext((body) -> ClientRequest.of(exchange).bodyRead(body.value().size()))
			.doOnDiscard(Body.class, (body) -> body.permit().close());
	}

	static ProblemException tooLarge(int maxSizeBytes) {
		return new ProblemException(Problem.of(ProblemType.VALUE_TOO_LARGE,
				"the body is larger than quorate.storage.max-value-size, %d bytes".formatted(maxSizeBytes)));
	}

}
