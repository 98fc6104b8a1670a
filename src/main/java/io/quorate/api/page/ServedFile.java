package io.quorate.api.page;

import java.util.HexFormat;
import java.util.Set;

import io.quorate.api.body.Outflows;
import io.quorate.api.entity.ByteRange;
import io.quorate.api.entity.ValueWriter;
import io.quorate.api.request.Problems;
import io.quorate.api.request.RawQuery;
import io.quorate.entry.Value;
import org.springframework.http.CacheControl;
import org.springframework.http.ETag;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A file of the program that clients may read. A thread of its own reads it when it is
 * first asked for, because the program is a file on the disk; then it stays in memory.
 */
final class ServedFile implements WebHandler {

	private static final int TAG_BYTES = 16;

	private final MediaType type;

	private final String policy;

	private final Outflows outflows;

	private final Mono<Content> content;

	/**
	 * A file that is not read yet.
	 * @param resource its path in the program
	 * @param policy the {@code Content-Security-Policy} of a page, and of what belongs to
	 * it
	 */
	ServedFile(String resource, MediaType type, String policy, Outflows outflows) {
		this.type = type;
		this.policy = policy;
		this.outflows = outflows;
		this.content = Mono.fromSupplier(() -> Content.of(ProgramFile.read(resource)))
			.subscribeOn(Schedulers.fromExecutor((task) -> Thread.ofVirtual().name("served-file").start(task)))
			// Unlike cache(), not for ever if the disk has failed.
			.cacheInvalidateIf((_) -> false);
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		RawQuery.of(request).knowing(Set.of());
		return switch (request.getMethod().name()) {
			case "GET" -> this.content.flatMap((found) -> get(found, exchange));
			case "HEAD" -> this.content.flatMap((found) -> head(found, exchange));
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD");
		};
	}

	private Mono<Void> get(Content found, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		if (isKnown(found, exchange)) {
			return response.setComplete();
		}
		ByteRange whole = new ByteRange(0, found.value.size(), false);
		return this.outflows.with(response, (outflow) -> response
			.writeWith(ValueWriter.slices(found.value, whole, response.bufferFactory(), outflow)));
	}

	private Mono<Void> head(Content found, ServerWebExchange exchange) {
		isKnown(found, exchange);
		return exchange.getResponse().setComplete();
	}

	/** Writes the head of the answer; returns whether the client has the file already. */
	private boolean isKnown(Content found, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		HttpHeaders headers = response.getHeaders();
		PageHeaders.protect(headers, this.policy, CacheControl.noCache());
		headers.setETag(found.tag);
		// Without it a 304 would declare chunks.
		headers.setContentLength(found.value.size());
		if (isNamed(found.tag, exchange.getRequest().getHeaders())) {
			response.setStatusCode(HttpStatus.NOT_MODIFIED);
			return true;
		}
		headers.setContentType(this.type);
		return false;
	}

	/* A browser that sends nonsense gets the file. */
	private static boolean isNamed(String tag, HttpHeaders sent) {
		return sent.getOrEmpty(HttpHeaders.IF_NONE_MATCH)
			.stream()
			.flatMap((list) -> ETag.parse(list).stream())
			.anyMatch((named) -> named.isWildcard() || named.compare(ETag.create(tag), false));
	}

	/**
	 * The bytes of a file.
	 *
	 * @param value all of them
	 * @param tag their entity tag: equal files have equal ones on all nodes
	 */
	private record Content(Value value, String tag) {

		private static Content of(byte[] bytes) {
			String digest = HexFormat.of().formatHex(ProgramFile.sha256(bytes), 0, TAG_BYTES);
			return new Content(Value.wrap(bytes), '"' + digest + '"');
		}

	}

}
