package io.quorate.api.entity;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

import io.quorate.api.body.AdmittedWork;
import io.quorate.api.body.AuthorizedCoordinator.KeyWrite;
import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.body.BodyReader;
import io.quorate.api.body.Shares;
import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.ConsistencyParameters;
import io.quorate.api.request.ContentCoding;
import io.quorate.api.request.ContentTypeField;
import io.quorate.api.request.EntityTag;
import io.quorate.api.request.IdempotencyKeyField;
import io.quorate.api.request.KeyParameter;
import io.quorate.api.request.Preconditions;
import io.quorate.api.request.Problems;
import io.quorate.api.request.Protocol;
import io.quorate.api.request.RawQuery;
import io.quorate.api.request.RequestTimeout;
import io.quorate.api.request.TimeToLive;
import io.quorate.api.request.WaitTime;
import io.quorate.api.transport.Arrival;
import io.quorate.api.transport.ConnectionLoop;
import io.quorate.api.transport.EntityPath;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ConditionFailedException;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Content;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RefusedException;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.Touched;
import io.quorate.coordinator.Written;
import io.quorate.entry.Condition;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.security.access.Caller.ReadableKey;
import io.quorate.security.access.Caller;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * The handler of entities: {@code GET}, {@code HEAD}, {@code PUT}, {@code PATCH} and
 * {@code DELETE} of {@code /v0/entity/<key>} and {@code /v0/entity?key=<key>}.
 * <p>
 * A request is checked as a whole before anything is done for it; only then is it
 * admitted.
 */
@Component
public final class EntityController implements WebHandler {

	/** The parameters that it knows. */
	public static final Set<String> PARAMETERS = Set.of(KeyParameter.KEY, KeyParameter.ID, "replicas", "ack", "from",
			"ttl", "consistency", WaitTime.PARAMETER);

	private static final Problem NOT_FOUND = Problem.of(ProblemType.NOT_FOUND,
			"there is no value under this key: never written, deleted, or expired");

	/*
	 * Reactor's operators look the context up again and again, through all operators
	 * around them.
	 */
	private static final UnaryOperator<Context> CONTEXT_AT_HAND = UnaryOperator.identity();

	private final AuthorizedCoordinator coordinator;

	private final Shares shares;

	private final BodyReader bodyReader;

	private final ValueWriter valueWriter;

	private final RequestTimeout timeout;

	EntityController(AuthorizedCoordinator coordinator, Shares shares, BodyReader bodyReader, ValueWriter valueWriter,
			RequestTimeout timeout) {
		this.coordinator = coordinator;
		this.shares = shares;
		this.bodyReader = bodyReader;
		this.valueWriter = valueWriter;
		this.timeout = timeout;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		Mono<Void> answer = switch (request.getMethod().name()) {
			case "GET" -> get(exchange);
			case "HEAD" -> head(exchange);
			case "PUT" -> put(exchange);
			case "PATCH" -> touch(exchange);
			case "DELETE" -> delete(exchange);
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD, PUT, PATCH, DELETE");
		};
		return answer.contextWrite(CONTEXT_AT_HAND);
	}

	private Mono<Void> get(ServerWebExchange exchange) {
		Target<ReadableKey> target = readTarget(exchange);
		HttpHeaders headers = exchange.getRequest().getHeaders();
		Preconditions preconditions = Preconditions.ofRead(headers);
		ServerHttpResponse response = exchange.getResponse();
		return answered(target, preconditions, exchange.getRequest(), (entry, permit) -> {
			target.describe(response);
			if (!preconditions.areMet(entry)) {
				return ValueWriter.unchanged(entry, response);
			}
			ByteRange range = ByteRange.of(entry, headers);
			if (!permit.tryHold(entry.value().size())) {
				throw permit.full();
			}
			permit.awaitClient();
			target.request.answeredBy(range.sizeBytes());
			return this.valueWriter.send(entry, range, response);
		});
	}

	private Mono<Void> head(ServerWebExchange exchange) {
		Target<ReadableKey> target = readTarget(exchange);
		HttpHeaders headers = exchange.getRequest().getHeaders();
		Preconditions preconditions = Preconditions.ofRead(headers);
		ServerHttpResponse response = exchange.getResponse();
		return answered(target, preconditions, exchange.getRequest(), (entry, _) -> {
			target.describe(response);
			if (!preconditions.areMet(entry)) {
				// Without it the answer would declare chunks.
				response.getHeaders().setContentLength(entry.value().size());
				return ValueWriter.unchanged(entry, response);
			}
			ValueWriter.describe(entry, response);
			return response.setComplete();
		});
	}

	/**
	 * Answers with the value that a key holds: at once, or when it has changed, if the
	 * client waits for that.
	 * @param answer writes the answer under a permit
	 */
	private Mono<Void> answered(Target<ReadableKey> target, Preconditions preconditions, ServerHttpRequest request,
			BiFunction<Entry.Live, Admission.Permit, Mono<Void>> answer) {
		HttpHeaders headers = request.getHeaders();
		int replicationFactor = this.coordinator.replicationFactor();
		Duration wait = WaitTime.of(target.query, headers,
				ConsistencyParameters.isOfAll(target.consistency, replicationFactor));
		Deadline deadline = deadline(target, headers);
		if (wait == null || !preconditions.isWaitable()) {
			return admitted(target,
					(permit) -> read(target, deadline, permit).flatMap((entry) -> answer.apply(entry, permit)));
		}
		Caller caller = target.request.caller();
		Consistency consistency = ConsistencyParameters.ofAll(target.consistency, replicationFactor);
		target.request.waits();
		return this.coordinator
			.await(target.key,
					new KeyWaits.Terms(consistency, target.isLinearizable, preconditions::endWait, wait,
							this.timeout.of(headers), caller.principal().name()))
			// One outcome may be that of many.
			.publishOn(ConnectionLoop.of(request))
			.flatMap((outcome) -> {
				target.request.waited();
				if (!caller.mayStillRead(target.key.key())) {
					return Mono.error(caller.revoked());
				}
				Entry.Live entry = found(outcome, target);
				return admitted(target, (permit) -> answer.apply(entry, permit));
			});
	}

	private Deadline deadline(Target<?> target, HttpHeaders headers) {
		return admission(target).deadline(this.timeout.of(headers), target.arrival.waitedNanos());
	}

	private Mono<Entry.Live> read(Target<ReadableKey> target, Deadline deadline, Admission.Permit permit) {
		return this.coordinator.read(target.key, target.isLinearizable, target.requestContext(deadline, permit))
			.map((outcome) -> found(outcome, target));
	}

	private static Entry.Live found(ReadOutcome outcome, Target<?> target) {
		return switch (outcome) {
			case ReadOutcome.Found found -> found.entry();
			case ReadOutcome.Missing missing -> throw new ProblemException(notFound(missing, target.isLinearizable));
		};
	}

	/** The answer to a read that has found no value. */
	public static Problem notFound(ReadOutcome.Missing missing, boolean isLinearizable) {
		if (!isLinearizable) {
			return NOT_FOUND;
		}
		Problem problem = NOT_FOUND.withHeader(HttpHeaders.CACHE_CONTROL, Protocol.NO_TRANSFORM);
		Timestamp version = missing.version();
		return (version != null) ? problem.withHeader(Protocol.VERSION, EntityTag.of(version)) : problem;
	}

	private Mono<Void> put(ServerWebExchange exchange) {
		HttpHeaders headers = exchange.getRequest().getHeaders();
		Target<KeyWrite> target = writeTarget(exchange);
		ByteRange.refusePart(headers);
		ContentCoding.refuse(headers);
		Duration ttl = TimeToLive.ofWrite(target.query, headers, target.key.isConditional());
		ContentType contentType = ContentTypeField.of(headers);
		Duration allowed = this.timeout.of(headers);
		return this.bodyReader.read(exchange)
			.flatMap((body) -> write(target, new Content(body.value(), contentType, ttl), body.permit(), allowed,
					headers))
			.flatMap((written) -> done(HttpStatus.CREATED, written, target, exchange.getResponse()));
	}

	private Mono<Written> write(Target<KeyWrite> target, Content content, Admission.Permit permit, Duration allowed,
			HttpHeaders headers) {
		return target.arrival.whenClientIsThere()
			.doOnCancel(permit::close)
			.then(Mono.defer(() -> AdmittedWork.handOver(permit, () -> {
				Deadline deadline = admission(target).deadline(allowed, target.arrival.waitedNanos());
				return represented(this.coordinator.put(target.key, content, target.requestContext(deadline, permit)),
						target, deadline, headers);
			})));
	}

	/** Renews the time to live of a value, which keeps its version. */
	private Mono<Void> touch(ServerWebExchange exchange) {
		HttpHeaders headers = exchange.getRequest().getHeaders();
		RawQuery query = query(exchange);
		boolean _ = ConsistencyParameters.isLinearizable(query);
		WaitTime.refuse(query);
		Condition condition = Preconditions.ofTouch(headers);
		IdempotencyKeyField.refuse(headers, "a touch may be repeated without one");
		Target<KeyWrite> target = target(exchange, query, true,
				(caller, key) -> this.coordinator.writing(caller, key, condition));
		Duration ttl = TimeToLive.ofTouch(query, headers);
		if (headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING)) {
			throw ProblemException.badRequest("PATCH renews the time to live and has no body: PUT writes a value");
		}
		Duration allowed = this.timeout.of(headers);
		return target.arrival.whenClientIsThere().then(Mono.defer(() -> {
			Deadline deadline = admission(target).deadline(allowed, target.arrival.waitedNanos());
			Admission.Permit permit = admission(target).admit(0);
			return AdmittedWork.handOver(permit,
					() -> represented(this.coordinator.touch(target.key, ttl, target.requestContext(deadline, permit)),
							target, deadline, headers));
		}))
			.onErrorMap(ConditionFailedException.class, EntityController::notTouched)
			.flatMap((touched) -> done(HttpStatus.OK, touched, target, exchange.getResponse()));
	}

	/** The failure of a touch: where there is no value, that of a read. */
	public static RuntimeException notTouched(ConditionFailedException unmet) {
		return (unmet.current() != null) ? unmet
				: new ProblemException(notFound(new ReadOutcome.Missing(unmet.absent()), true));
	}

	private static Mono<Void> done(HttpStatus status, Touched touched, Target<?> target, ServerHttpResponse response) {
		if (touched.expiryMillis() != Versioned.NEVER) {
			response.getHeaders().setExpires(touched.expiryMillis());
		}
		return done(status, new Written(touched.version()), target, response);
	}

	/**
	 * A write whose failing condition shows the value, if its client prefers that: the
	 * present version, if it is still the one that the condition has failed on.
	 */
	private <T> Mono<T> represented(Mono<T> write, Target<KeyWrite> target, Deadline deadline, HttpHeaders headers) {
		if (!PreferredValue.isAskedFor(headers)) {
			return write;
		}
		return write.onErrorResume(ConditionFailedException.class, (failed) -> {
			if (failed.current() == null) {
				return Mono.error(failed);
			}
			Mono<ReadOutcome> read = Mono.using(() -> admission(target).admit(0),
					(permit) -> this.coordinator.readConditioned(target.key, target.besides(deadline, permit)),
					Admission.Permit::close);
			return read
				.onErrorComplete(
						(error) -> error instanceof QuorumNotReachedException || error instanceof RefusedException)
				.defaultIfEmpty(new ReadOutcome.Missing())
				.flatMap((outcome) -> Mono.error(showing(failed, outcome)));
		});
	}

	private static RuntimeException showing(ConditionFailedException failed, ReadOutcome outcome) {
		return (outcome instanceof ReadOutcome.Found(Entry.Live entry) && entry.version().equals(failed.current())
				&& entry.value().size() <= PreferredValue.MOST_BYTES)
						? new ProblemException(PreferredValue.in(Preconditions.notMet(failed), entry)) : failed;
	}

	private Mono<Void> delete(ServerWebExchange exchange) {
		Target<KeyWrite> target = writeTarget(exchange);
		HttpHeaders headers = exchange.getRequest().getHeaders();
		TimeToLive.refuse(target.query, headers);
		Duration allowed = this.timeout.of(headers);
		return target.arrival.whenClientIsThere().then(Mono.defer(() -> {
			Deadline deadline = admission(target).deadline(allowed, target.arrival.waitedNanos());
			Admission.Permit permit = admission(target).admit(0);
			return AdmittedWork.handOver(permit,
					() -> represented(this.coordinator.delete(target.key, target.requestContext(deadline, permit)),
							target, deadline, headers));
		})).flatMap((written) -> done(HttpStatus.ACCEPTED, written, target, exchange.getResponse()));
	}

	private static Mono<Void> done(HttpStatus status, Written written, Target<?> target, ServerHttpResponse response) {
		response.setStatusCode(status);
		target.describe(response);
		HttpHeaders headers = response.getHeaders();
		headers.setETag(EntityTag.of(written.timestamp()));
		Written.Replayed replayed = written.replayed();
		if (replayed != null) {
			Timestamp current = replayed.current();
			headers.set(Protocol.REPLAYED, "true");
			headers.set(Protocol.CURRENT, (current != null) ? EntityTag.of(current) : "none");
		}
		headers.setContentLength(0);
		return response.setComplete();
	}

	private Target<ReadableKey> readTarget(ServerWebExchange exchange) {
		RawQuery query = query(exchange);
		boolean isLinearizable = ConsistencyParameters.isLinearizable(query);
		Target<ReadableKey> target = target(exchange, query, isLinearizable, Caller::reading);
		TimeToLive.refuse(query, exchange.getRequest().getHeaders());
		return target;
	}

	private Target<KeyWrite> writeTarget(ServerWebExchange exchange) {
		RawQuery query = query(exchange);
		WaitTime.refuse(query);
		HttpHeaders headers = exchange.getRequest().getHeaders();
		Condition condition = Preconditions.ofWrite(headers, ConsistencyParameters.isLinearizable(query));
		String once = IdempotencyKeyField.of(headers, condition);
		return target(exchange, query, condition != null,
				(caller, key) -> this.coordinator.writing(caller, key, condition, once));
	}

	private static RawQuery query(ServerWebExchange exchange) {
		return RawQuery.of(exchange.getRequest()).knowing(PARAMETERS);
	}

	private <K> Target<K> target(ServerWebExchange exchange, RawQuery query, boolean isLinearizable,
			BiFunction<Caller, Key, K> right) {
		String path = exchange.getRequest().getPath().value();
		Key key = EntityPath.hasKey(path) ? keyInPath(path, query) : KeyParameter.of(query);
		int replicationFactor = this.coordinator.replicationFactor();
		Consistency asked = ConsistencyParameters.of(query, replicationFactor);
		Consistency consistency = isLinearizable ? ConsistencyParameters.ofAll(asked, replicationFactor) : asked;
		ClientRequest request = ClientRequest.of(exchange);
		request.concerns(key, consistency.at(replicationFactor));
		return new Target<>(query, right.apply(request.caller(), key), isLinearizable, consistency, request,
				Arrival.of(exchange.getRequest()));
	}

	private static Key keyInPath(String path, RawQuery query) {
		for (String name : List.of(KeyParameter.KEY, KeyParameter.ID)) {
			if (query.raw(name) != null) {
				throw ProblemException
					.badRequest("there is a key in the path and in parameter '%s': send one of them".formatted(name));
			}
		}
		return KeyParameter.inPath(EntityPath.key(path));
	}

	private Mono<Void> admitted(Target<?> target, AdmittedWork.Work work) {
		return AdmittedWork.run(admission(target), 0, work);
	}

	private Admission admission(Target<?> target) {
		return this.shares.of(target.request.caller().principal());
	}

	private record Target<K>(RawQuery query, K key, boolean isLinearizable, Consistency consistency,
			ClientRequest request, Arrival arrival) {

		/** The header fields of a successful answer, whatever it is. */
		private void describe(ServerHttpResponse response) {
			if (this.isLinearizable) {
				response.getHeaders().setCacheControl(Protocol.NO_TRANSFORM);
			}
		}

		/** The context of a request that follows the one of the client. */
		private RequestContext besides(Deadline deadline, Admission.Permit permit) {
			return new RequestContext(this.consistency, deadline, permit,
					this.request.timeline().beside(System.nanoTime()));
		}

		private RequestContext requestContext(Deadline deadline, Admission.Permit permit) {
			return new RequestContext(this.consistency, deadline, permit, this.request.timeline());
		}

	}

}
