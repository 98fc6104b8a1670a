package io.quorate.api;

import java.time.Duration;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.Written;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

/**
 * Entities: {@code GET}, {@code HEAD}, {@code PUT} and {@code DELETE} of
 * {@code /v0/entity?id=<ID>}.
 * <p>
 * Everything a request says is checked before anything is done for it; only then is it
 * admitted. Unknown parameters are ignored.
 */
@RestController
final class EntityController {

	private static final Problem NOT_FOUND = Problem.of("not-found", 404, "Not Found",
			"there is no value under this id: never written, deleted, or expired");

	private final Coordinator coordinator;

	private final Admission admission;

	private final Bodies bodies;

	private final Values values;

	private final RequestTimeout timeout;

	EntityController(Coordinator coordinator, Admission admission, Bodies bodies, Values values,
			RequestTimeout timeout) {
		this.coordinator = coordinator;
		this.admission = admission;
		this.bodies = bodies;
		this.values = values;
		this.timeout = timeout;
	}

	@RequestMapping("/v0/entity")
	Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		ServerHttpResponse response = exchange.getResponse();
		return switch (request.getMethod().name()) {
			case "GET" -> get(request, response);
			case "HEAD" -> head(request, response);
			case "PUT" -> put(exchange);
			case "DELETE" -> delete(request, response);
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD, PUT, DELETE");
		};
	}

	/* Spring would answer OPTIONS itself, with 200. */
	@RequestMapping(path = "/v0/entity", method = RequestMethod.OPTIONS)
	Mono<Void> options(ServerWebExchange exchange) {
		return handle(exchange);
	}

	private Mono<Void> get(ServerHttpRequest request, ServerHttpResponse response) {
		Target target = target(request);
		return admitted(
				(permit) -> read(target, request, permit).flatMap((entry) -> this.values.send(entry, response)));
	}

	private Mono<Void> head(ServerHttpRequest request, ServerHttpResponse response) {
		Target target = target(request);
		return admitted((permit) -> read(target, request, permit).flatMap((entry) -> {
			Values.describe(entry, response);
			return response.setComplete();
		}));
	}

	private Mono<Entry.Live> read(Target target, ServerHttpRequest request, Admission.Permit permit) {
		Deadline deadline = Deadline.after(this.timeout.of(request.getHeaders()));
		return this.coordinator.read(target.key, target.consistency, deadline, permit)
			.map((outcome) -> switch (outcome) {
				case ReadOutcome.Found found -> found.entry();
				case ReadOutcome.Missing _ -> throw new ProblemException(NOT_FOUND);
			});
	}

	private Mono<Void> put(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		Target target = target(request);
		Duration ttl = TimeToLive.of(target.query, request.getHeaders());
		Duration allowed = this.timeout.of(request.getHeaders());
		return this.bodies.read(exchange)
			.flatMap((body) -> write(target, body, ttl, Deadline.after(allowed)))
			.flatMap((written) -> done(HttpStatus.CREATED, written, exchange.getResponse()));
	}

	private Mono<Written> write(Target target, Body body, @Nullable Duration ttl, Deadline deadline) {
		return Admitted.handOver(body.permit(),
				() -> this.coordinator.put(target.key, body.value(), ttl, target.consistency, deadline, body.permit()));
	}

	private Mono<Void> delete(ServerHttpRequest request, ServerHttpResponse response) {
		Target target = target(request);
		Duration allowed = this.timeout.of(request.getHeaders());
		return Mono.defer(() -> {
			Admission.Permit permit = this.admission.admit(0);
			return Admitted.handOver(permit,
					() -> this.coordinator.delete(target.key, target.consistency, Deadline.after(allowed), permit));
		}).flatMap((written) -> done(HttpStatus.ACCEPTED, written, response));
	}

	private static Mono<Void> done(HttpStatus status, Written written, ServerHttpResponse response) {
		response.setStatusCode(status);
		HttpHeaders headers = response.getHeaders();
		headers.setETag(EntityTag.of(written.timestamp()));
		headers.setContentLength(0);
		return response.setComplete();
	}

	private Target target(ServerHttpRequest request) {
		RawQuery query = RawQuery.of(request);
		return new Target(query, KeyParameter.required(query, "id"),
				ConsistencyParameters.of(query, this.coordinator.replicationFactor()));
	}

	private Mono<Void> admitted(Admitted.Work work) {
		return Admitted.run(this.admission, 0, work);
	}

	private record Target(RawQuery query, Key key, Consistency consistency) {
	}

}
