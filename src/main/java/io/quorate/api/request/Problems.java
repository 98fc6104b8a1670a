package io.quorate.api.request;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.transport.BrokenBody;
import io.quorate.api.transport.EntityPath;
import io.quorate.api.transport.UnreadBody;
import io.quorate.coordinator.ConditionFailedException;
import io.quorate.coordinator.ContendedException;
import io.quorate.coordinator.IdempotencyKeyReusedException;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException;
import io.quorate.operations.AdminPath;
import io.quorate.security.access.DeniedException;
import io.quorate.watch.CursorLostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * The only place where errors become HTTP: a problem document for every error on every
 * path, except those of the actuator, which are Boot's once a request has reached it.
 * Comes before Boot's own handler.
 */
@Component
@Order(-2)
public final class Problems implements WebExceptionHandler {

	private static final Logger logger = LoggerFactory.getLogger(Problems.class);

	/* Reading a body up to this size is cheaper than opening a connection. */
	private static final long DRAINABLE_BYTES = 64 * 1024;

	private static final Problem INTERNAL = Problem.of(ProblemType.INTERNAL_ERROR,
			"the node failed to answer; its log says why");

	/* No client reads it, but meters and access logs see it. */
	private static final Problem CLIENT_GONE = Problem.badRequest("the connection ended before the request did");

	/*
	 * Another status for what Spring refuses on its own would be one that no client
	 * expects.
	 */
	private static final Problem UNANSWERABLE = Problem.badRequest("the request cannot be answered as it stands");

	private static final Problem UNKNOWN_PATH = Problem.of(ProblemType.UNKNOWN_PATH,
			"nothing is under this path: entities are under /v0/entity/<key>, ranges under /v0/entities?start=<key>, watches under /v0/watch, batches under /v0/batch");

	private static final Problem UNKNOWN_PAGE = Problem.of(ProblemType.UNKNOWN_PAGE,
			"nothing is under this path: the API is below /v0, its description at /v0/openapi.yaml");

	private final AdminPath adminPath;

	Problems(AdminPath adminPath) {
		this.adminPath = adminPath;
	}

	/** A method that a path does not have: 405. */
	public static ProblemException methodNotAllowed(HttpMethod method, String allowed) {
		return new ProblemException(
				Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path takes %s, not %s".formatted(allowed, method))
					.withHeader(HttpHeaders.ALLOW, allowed));
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable error) {
		ClientRequest request = ClientRequest.find(exchange);
		if (BrokenBody.isAnswered(exchange.getResponse())) {
			if (request != null) {
				request.answered(HttpStatus.BAD_REQUEST.value());
			}
			return Mono.empty();
		}
		boolean isOurs = error instanceof ProblemException || error instanceof DeniedException;
		boolean isBoots = this.adminPath.contains(exchange) && !isOurs;
		if (exchange.getResponse().isCommitted() || isBoots) {
			return Mono.error(error);
		}
		// A flood of refusals is not to be read to the ends of its bodies.
		boolean isFlood = error instanceof DeniedException denied && denied.why() == DeniedException.Why.FAILURES;
		return write(problem(exchange, error), exchange, isFlood ? 0 : DRAINABLE_BYTES);
	}

	/**
	 * The problem that an error is for a client; logs one that is a fault of the node.
	 */
	public static Problem problem(ServerWebExchange exchange, Throwable error) {
		return switch (error) {
			case ProblemException ours -> ours.problem();
			case QuorumNotReachedException quorum -> notEnoughReplicas(quorum);
			case RefusedException refused -> refusal(refused);
			case ConditionFailedException failed -> Preconditions.notMet(failed);
			case IdempotencyKeyReusedException reused ->
				Problem.of(ProblemType.IDEMPOTENCY_KEY_REUSED, reused.getMessage() + "; nothing was written");
			case CursorLostException lost -> Problem.of(ProblemType.CURSOR_LOST,
					lost.getMessage() + "; begin again with cursor=0, which is the present state");
			case ContendedException contended ->
				Problem.of(ProblemType.CONTENDED, contended.getMessage() + "; nothing was written")
					.withHeader(HttpHeaders.RETRY_AFTER, "0");
			case DeniedException denied -> denial(denied);
			case ResponseStatusException status when status.getStatusCode().value() == 404 ->
				Protocol.contains(exchange.getRequest().getPath().value()) ? UNKNOWN_PATH : UNKNOWN_PAGE;
			case MethodNotAllowedException method -> notAllowed(method);
			case ResponseStatusException status when status.getStatusCode().is4xxClientError() -> UNANSWERABLE;
			default -> internal(exchange, error);
		};
	}

	private static Problem notEnoughReplicas(QuorumNotReachedException quorum) {
		List<Map<String, String>> replicas = quorum.replicas()
			.stream()
			.map((replica) -> Map.of("node", replica.node(), "said", replica.said()))
			.toList();
		Problem problem = Problem
			.of(ProblemType.NOT_ENOUGH_REPLICAS,
					"%d of %d replicas had to answer in time, %d did".formatted(quorum.required(), replicas.size(),
							quorum.acknowledged()))
			.withMember("required", quorum.required())
			.withMember("acknowledged", quorum.acknowledged());
		if (quorum.isWrite()) {
			Fate fate = quorum.fate();
			problem = problem.withMember("outcome", fate.word());
			if (fate.version() != null) {
				problem = problem.withMember("version", EntityTag.of(fate.version()));
			}
		}
		return problem.withMember("replicas", replicas);
	}

	private static Problem refusal(RefusedException refused) {
		String detail = refused.getMessage() + "; nothing was done";
		return switch (refused.why()) {
			case REQUESTS, BYTES, REPLICAS -> unavailable(ProblemType.OVERLOADED, detail);
			case DRAINING -> unavailable(ProblemType.DRAINING, detail);
			case LATE -> unavailable(ProblemType.LATE, detail);
			case CLOCK -> unavailable(ProblemType.CLOCK, detail);
			case SHARE -> tooMany(detail);
			case DISK_FULL -> Problem.of(ProblemType.DISK_FULL, detail);
		};
	}

	private static Problem tooMany(String detail) {
		return Problem.of(ProblemType.TOO_MANY_REQUESTS, detail).withHeader(HttpHeaders.RETRY_AFTER, "1");
	}

	private static Problem denial(DeniedException denied) {
		String detail = denied.getMessage() + "; nothing was done";
		return switch (denied.why()) {
			case AMBIGUOUS -> Problem.badRequest(detail);
			case NO_CREDENTIALS -> unauthenticated(detail, "");
			case INVALID_CREDENTIALS -> unauthenticated(detail, ", error=\"invalid_token\"");
			case FORBIDDEN -> Problem.of(ProblemType.FORBIDDEN, detail);
			case RATE, FAILURES -> tooMany(detail);
			case BUSY -> unavailable(ProblemType.OVERLOADED, detail);
		};
	}

	private static Problem unauthenticated(String detail, String error) {
		return Problem.of(ProblemType.UNAUTHENTICATED, detail)
			.withHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"quorate\"" + error);
	}

	private static Problem unavailable(ProblemType type, String detail) {
		return Problem.of(type, detail).withHeader(HttpHeaders.RETRY_AFTER, "1");
	}

	private static Problem notAllowed(MethodNotAllowedException method) {
		Set<String> methods = new TreeSet<>();
		method.getSupportedMethods().forEach((supported) -> methods.add(supported.name()));
		if (methods.contains("GET")) {
			methods.add("HEAD");
		}
		String allowed = String.join(", ", methods);
		return Problem
			.of(ProblemType.METHOD_NOT_ALLOWED, "this path takes %s, not %s".formatted(allowed, method.getHttpMethod()))
			.withHeader(HttpHeaders.ALLOW, allowed);
	}

	private static Problem internal(ServerWebExchange exchange, Throwable error) {
		ServerHttpRequest request = exchange.getRequest();
		if (DisconnectedClientHelper.isClientDisconnectedException(error)) {
			logger.debug("The client of {} {} is gone", request.getMethod(), pathOf(request), error);
			ClientRequest gone = ClientRequest.find(exchange);
			if (gone != null) {
				gone.cancelled();
			}
			return CLIENT_GONE;
		}
		logger.error("{} {} failed", request.getMethod(), pathOf(request), error);
		return INTERNAL;
	}

	private static String pathOf(ServerHttpRequest request) {
		return EntityPath.withoutKey(request.getPath().value());
	}

	private static Mono<Void> write(Problem problem, ServerWebExchange exchange, long drainableBytes) {
		ServerHttpRequest request = exchange.getRequest();
		ServerHttpResponse response = exchange.getResponse();
		response.setRawStatusCode(problem.status());
		HttpHeaders headers = response.getHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
		Protocol.protect(headers);
		problem.headers().forEach(headers::set);
		if (mayBeUnread(exchange, drainableBytes)) {
			UnreadBody.closeAfter(response);
		}
		byte[] document = problem.toJson(pathOf(request));
		headers.setContentLength(document.length);
		return response.writeWith(Mono.<DataBuffer>fromSupplier(() -> response.bufferFactory().wrap(document)));
	}

	private static boolean mayBeUnread(ServerWebExchange exchange, long drainableBytes) {
		HttpHeaders headers = exchange.getRequest().getHeaders();
		ClientRequest request = ClientRequest.find(exchange);
		boolean isRead = request != null && request.isBodyRead();
		return !isRead && (headers.getContentLength() > drainableBytes
				|| headers.containsHeader(HttpHeaders.TRANSFER_ENCODING) || headers.containsHeader(HttpHeaders.EXPECT));
	}

}
