package io.quorate.api.entity;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.quorate.api.request.Problems;
import io.quorate.api.request.RawQuery;
import io.quorate.coordinator.ReplicationLatency;
import io.quorate.repair.overview.PairState;
import io.quorate.repair.overview.RepairOverview;
import io.quorate.repair.overview.RepairState;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers {@code GET /v0/consistency}: the differences between this node and its peers,
 * as far as this node knows them. Peers are not asked, so the answer does not wait for
 * them.
 */
@Component
public final class ConsistencyController implements WebHandler {

	/** Its path. */
	public static final String PATH = "/v0/consistency";

	private final RepairOverview repair;

	private final ReplicationLatency spread;

	ConsistencyController(RepairOverview repair, ReplicationLatency spread) {
		this.repair = repair;
		this.spread = spread;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		ServerHttpResponse response = exchange.getResponse();
		byte[] document = switch (request.getMethod().name()) {
			case "GET", "HEAD" -> document(request);
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD");
		};
		HttpHeaders headers = response.getHeaders();
		headers.setContentType(MediaType.APPLICATION_JSON);
		headers.setContentLength(document.length);
		return response.writeWith(Mono.<DataBuffer>fromSupplier(() -> response.bufferFactory().wrap(document)));
	}

	private byte[] document(ServerHttpRequest request) {
		RawQuery.of(request).knowing(Set.of());
		return ConsistencyDocument.of(this.repair.now(), this.spread.recent()).toJson();
	}

	/**
	 * The document on the differences between replicas; its fields are named as in JSON.
	 *
	 * @param node id of the node that answers
	 * @param rebuilding whether it is rebuilt from its peers, and cannot be read
	 * @param purgedAgeSeconds age from which on deletions may have been purged
	 * @param writes times until the writes that it coordinates are on all of their
	 * replicas
	 * @param peers the differences between the node and each of its peers
	 */
	private record ConsistencyDocument(String node, boolean rebuilding, @Nullable Double purgedAgeSeconds,
			Writes writes, List<PairState> peers) {

		/* People read it too. */
		private static final JsonMapper MAPPER = JsonMapper.builder()
			.enable(SerializationFeature.INDENT_OUTPUT)
			.disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.build();

		private static final double NANOS_PER_MICRO = 1_000;

		private static final double MICROS_PER_MILLI = 1_000;

		static ConsistencyDocument of(RepairState state, ReplicationLatency.Recent recent) {
			return new ConsistencyDocument(state.node(), state.rebuilding(), state.purgedAgeSeconds(),
					Writes.of(recent), state.pairs());
		}

		byte[] toJson() {
			return (MAPPER.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
		}

		/**
		 * Writes of the last minutes.
		 *
		 * @param lastSeconds length of that time, about
		 * @param everywhere writes that all of their replicas hold
		 * @param p50Millis time from their beginning within which half of them got there
		 * @param p99Millis time within which 99 of a hundred did
		 * @param missed writes that a replica has missed: hints and repairs deliver them
		 * @param superseded writes for which a replica holds a newer entry
		 */
		record Writes(long lastSeconds, long everywhere, @Nullable Double p50Millis, @Nullable Double p99Millis,
				long missed, long superseded) {

			private static Writes of(ReplicationLatency.Recent recent) {
				return new Writes(recent.span().toSeconds(), recent.count(), millis(recent.median()),
						millis(recent.p99()), recent.missed(), recent.superseded());
			}

			private static @Nullable Double millis(@Nullable Duration time) {
				return (time != null) ? Math.round(time.toNanos() / NANOS_PER_MICRO) / MICROS_PER_MILLI : null;
			}

		}

	}

}
