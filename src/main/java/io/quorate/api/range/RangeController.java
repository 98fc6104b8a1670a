package io.quorate.api.range;

import java.util.List;

import io.quorate.api.body.AdmittedWork;
import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.body.Outflows;
import io.quorate.api.body.Shares;
import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Problems;
import io.quorate.api.request.RequestTimeout;
import io.quorate.api.transport.AnswerOnEventLoop;
import io.quorate.api.transport.Arrival;
import io.quorate.api.watch.RequestMetrics;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ScanRequest;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.Caller.ReadableRange;
import io.quorate.security.access.Caller;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/**
 * The handler of ranges: {@code GET /v0/entities?start=<ID>[&end=<ID>]},
 * {@code GET /v0/entities?prefix=<ID>} and, for the rest of a range,
 * {@code GET /v0/entities?cursor=<cursor>}.
 */
@Component
public final class RangeController implements WebHandler {

	private final AuthorizedCoordinator coordinator;

	private final Shares shares;

	private final Outflows outflows;

	private final RequestTimeout timeout;

	private final RequestMetrics metrics;

	RangeController(AuthorizedCoordinator coordinator, Shares shares, Outflows outflows, RequestTimeout timeout,
			RequestMetrics metrics) {
		this.coordinator = coordinator;
		this.shares = shares;
		this.outflows = outflows;
		this.timeout = timeout;
		this.metrics = metrics;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		if (!HttpMethod.GET.equals(request.getMethod())) {
			throw Problems.methodNotAllowed(request.getMethod(), "GET");
		}
		int replicationFactor = this.coordinator.replicationFactor();
		RangeRequest range = RangeRequest.of(request, replicationFactor, this.timeout);
		ClientRequest client = ClientRequest.of(exchange);
		Caller caller = client.caller();
		ReadableRange readable = caller.reading(range.range());
		this.shares.of(caller.principal()).deadline(range.timeout(), Arrival.of(request).waitedNanos());
		AcceptedFormat accepted = AcceptedFormat.of(request.getHeaders(), range.isKeysOnly());
		RecordFormat format = accepted.format();
		if (format == RecordFormat.CHUNKS && !AnswerOnEventLoop.knowsChunks(request)) {
			throw ProblemException.badRequest("records in chunks need HTTP/1.1: accept application/x-ndjson");
		}
		ServerHttpResponse response = exchange.getResponse();
		response.getHeaders().setContentType(accepted.mediaType());
		response.getHeaders().add(HttpHeaders.VARY, HttpHeaders.ACCEPT);
		client.concerns(range.range().start(), range.consistency().at(replicationFactor));
		return range.range().isEmpty() ? nothing(format, response) : scan(readable, range, format, exchange);
	}

	private static Mono<Void> nothing(RecordFormat format, ServerHttpResponse response) {
		return response.writeWith(Mono.fromSupplier(() -> format.writeEnd(0, null, response.bufferFactory())));
	}

	private Mono<Void> scan(ReadableRange readable, RangeRequest range, RecordFormat format,
			ServerWebExchange exchange) {
		ClientRequest client = ClientRequest.of(exchange);
		ServerHttpResponse response = exchange.getResponse();
		Caller caller = client.caller();
		Admission own = this.shares.of(caller.principal());
		return AdmittedWork.run(own, 0, (permit) -> {
			permit.awaitClient();
			return this.outflows.with(response,
					(outflow) -> Mono.using(
							() -> new RevocableScan(
									this.coordinator.scan(readable,
											(keys) -> new ScanRequest(
													new ScanRequest.Wanted(keys, range.isKeysOnly(),
															RangeAnswer.mostRows(range)),
													range.consistency(), range.timeout(), permit, client.timeline())),
									range.range(), caller),
							(scan) -> new RangeAnswer(scan, range, format, outflow, this.metrics).send(response),
							RangeScan::close));
		});
	}

	/**
	 * A scan that ends at its next page when its caller may not read the range any more.
	 *
	 * @param scan the scan itself
	 * @param range its range
	 */
	private record RevocableScan(RangeScan scan, ScanRange range, Caller caller) implements RangeScan {

		@Override
		public Mono<List<Row>> nextPage(boolean keepsEarlier) {
			return this.caller.mayStillRead(this.range) ? this.scan.nextPage(keepsEarlier)
					: Mono.error(() -> this.caller.revoked());
		}

		@Override
		public void close() {
			this.scan.close();
		}

	}

	/**
	 * The format of a range that a client accepts, by the name that it accepts.
	 *
	 * @param format the format
	 * @param mediaType the type of the answer
	 */
	private record AcceptedFormat(RecordFormat format, MediaType mediaType) {

		/* The first of equally good ones is sent. */
		private static final List<AcceptedFormat> OFFERED = List.of(
				new AcceptedFormat(RecordFormat.LINES_OF_JSON, MediaType.APPLICATION_NDJSON),
				new AcceptedFormat(RecordFormat.LINES_OF_JSON, new MediaType("application", "jsonl")),
				new AcceptedFormat(RecordFormat.JSON, MediaType.APPLICATION_JSON),
				new AcceptedFormat(RecordFormat.CHUNKS, MediaType.APPLICATION_OCTET_STREAM));

		/**
		 * Returns the format that a client accepts best, and that it names rather than
		 * one that it accepts among others.
		 * @param isKeysOnly whether there are no values, for which chunks have no form
		 * @throws ProblemException 406 when it accepts none
		 */
		static AcceptedFormat of(HttpHeaders headers, boolean isKeysOnly) {
			List<MediaType> accepted = accepted(headers);
			AcceptedFormat best = OFFERED.getFirst();
			if (accepted.isEmpty()) {
				return best;
			}
			double most = 0;
			for (AcceptedFormat offered : OFFERED) {
				if (!isKeysOnly || offered.format != RecordFormat.CHUNKS) {
					double rank = offered.rank(accepted);
					if (rank > most) {
						most = rank;
						best = offered;
					}
				}
			}
			if (most == 0) {
				throw new ProblemException(Problem.of(ProblemType.NOT_ACCEPTABLE,
						"Accept has none of the types of a range: application/x-ndjson, application/jsonl, application/json%s"
							.formatted(isKeysOnly ? "" : ", application/octet-stream")));
			}
			return best;
		}

		/*
		 * Quality is in thousandths, so that how it is named decides between equal ones.
		 */
		private double rank(List<MediaType> accepted) {
			int named = -1;
			double quality = 0;
			for (MediaType range : accepted) {
				if (range.includes(this.mediaType) && specificity(range) >= named) {
					quality = (specificity(range) > named) ? range.getQualityValue()
							: Math.max(quality, range.getQualityValue());
					named = specificity(range);
				}
			}
			return (quality > 0) ? quality + named / 10_000.0 : 0;
		}

		private static int specificity(MediaType range) {
			return range.isWildcardType() ? 0 : range.isWildcardSubtype() ? 1 : 2;
		}

		private static List<MediaType> accepted(HttpHeaders headers) {
			try {
				return headers.getAccept();
			}
			catch (InvalidMediaTypeException _) {
				return List.of();
			}
		}

	}

}
