package io.quorate.api.batch;

import java.time.Duration;
import java.util.Set;

import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.body.Body;
import io.quorate.api.body.BodyReader;
import io.quorate.api.body.Shares;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.ConsistencyParameters;
import io.quorate.api.request.ContentCoding;
import io.quorate.api.request.IdempotencyKeyField;
import io.quorate.api.request.Preconditions;
import io.quorate.api.request.Problems;
import io.quorate.api.request.RawQuery;
import io.quorate.api.request.RequestTimeout;
import io.quorate.api.request.TimeToLive;
import io.quorate.api.transport.Arrival;
import io.quorate.api.transport.ConnectionLoop;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Consistency;
import io.quorate.security.access.Caller;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/**
 * The handler of batches: {@code POST /v0/batch}, with lines of JSON in and out. Answers
 * go out in the order of the lines.
 */
@Component
public final class BatchController implements WebHandler {

	/** The parameters that it knows. */
	public static final Set<String> PARAMETERS = Set.of("replicas", "ack", "from");

	private final AuthorizedCoordinator coordinator;

	private final Shares shares;

	private final BodyReader bodyReader;

	private final RequestTimeout timeout;

	private final Batches batches;

	BatchController(AuthorizedCoordinator coordinator, Shares shares, BodyReader bodyReader, RequestTimeout timeout,
			Batches batches) {
		this.coordinator = coordinator;
		this.shares = shares;
		this.bodyReader = bodyReader;
		this.timeout = timeout;
		this.batches = batches;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		if (!HttpMethod.POST.equals(request.getMethod())) {
			throw Problems.methodNotAllowed(request.getMethod(), "POST");
		}
		RawQuery query = RawQuery.of(request);
		requireNothingOfItems(query, request.getHeaders());
		query.knowing(PARAMETERS);
		int replicationFactor = this.coordinator.replicationFactor();
		Consistency consistency = ConsistencyParameters.of(query, replicationFactor);
		Duration allowed = this.timeout.of(request.getHeaders());
		ClientRequest.of(exchange).concerns(consistency.at(replicationFactor));
		return this.bodyReader.read(exchange)
			.flatMap((body) -> Mono.using(body::permit, (_) -> answer(exchange, body, consistency, allowed),
					Admission.Permit::close));
	}

	/** Requires that nothing stands with the batch that would be ignored there. */
	private static void requireNothingOfItems(RawQuery query, HttpHeaders headers) {
		Preconditions.refuse(headers, "write member 'ifMatch' or 'ifNoneMatch' into each item");
		IdempotencyKeyField.refuse(headers, "write member 'idempotencyKey' into each item");
		ContentCoding.refuse(headers);
		if (TimeToLive.of(query, headers) != null) {
			throw ProblemException.badRequest("a batch has no time to live: write member 'ttl' into each put");
		}
	}

	private Mono<Void> answer(ServerWebExchange exchange, Body body, Consistency consistency, Duration allowed) {
		Arrival arrival = Arrival.of(exchange.getRequest());
		Mono<BatchLines> found = this.batches.lines(body.value().array(), ConnectionLoop.turns(exchange.getRequest()));
		return found.delayUntil((_) -> arrival.whenClientIsThere()).flatMap((lines) -> {
			Caller caller = ClientRequest.of(exchange).caller();
			caller.served();
			Admission own = this.shares.of(caller.principal());
			Deadline deadline = own.deadline(allowed, arrival.waitedNanos());
			// It holds its body until the client has taken the answers.
			body.permit().awaitClient();
			BatchCalls calls = new BatchCalls(this.coordinator, own,
					new BatchCalls.Terms(consistency, deadline, caller), this.batches.metrics(),
					(error) -> Problems.problem(exchange, error));
			return this.batches.send(lines, calls, body.permit(), exchange);
		});
	}

}
