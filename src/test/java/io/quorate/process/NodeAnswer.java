package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;

import io.quorate.client.Entity;
import io.quorate.client.Problem;
import io.quorate.client.Written;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The answer of a node to one request: a value, a version, or a problem. */
final class NodeAnswer {

	private static final byte[] NOTHING = {};

	private final int statusCode;

	private final byte[] body;

	private final @Nullable Entity entity;

	private final @Nullable String etag;

	private final @Nullable Duration retryAfter;

	private NodeAnswer(int statusCode, byte[] body, @Nullable Entity entity, @Nullable String etag,
			@Nullable Duration retryAfter) {
		this.statusCode = statusCode;
		this.body = body;
		this.entity = entity;
		this.etag = etag;
		this.retryAfter = retryAfter;
	}

	static NodeAnswer of(Entity entity) {
		return new NodeAnswer(200, entity.value(), entity, entity.etag(), null);
	}

	static NodeAnswer absent() {
		return new NodeAnswer(404, NOTHING, null, null, null);
	}

	static NodeAnswer of(int statusCode, Written written) {
		return new NodeAnswer(statusCode, NOTHING, null, written.etag(), null);
	}

	static NodeAnswer of(Problem problem) {
		return new NodeAnswer(problem.status(),
				JsonMapper.shared()
					.writeValueAsString(new TreeMap<>(problem.members()))
					.getBytes(StandardCharsets.UTF_8),
				null, null, problem.retryAfter());
	}

	int statusCode() {
		return this.statusCode;
	}

	/** The value, or the problem document; empty if there is neither. */
	byte[] body() {
		return this.body.clone();
	}

	String text() {
		return new String(this.body, StandardCharsets.UTF_8);
	}

	/** The version of the value, or of the write. */
	String etag() {
		if (this.etag == null) {
			throw new AssertionError("an answer %d without a version: %s".formatted(this.statusCode, text()));
		}
		return this.etag;
	}

	/** The media type of the value. */
	String contentType() {
		return entity().metadata().contentType();
	}

	/** When the value ends; {@code null} if it does not. */
	@Nullable Instant expires() {
		return entity().metadata().expires();
	}

	private Entity entity() {
		if (this.entity == null) {
			throw new AssertionError("an answer %d without a value: %s".formatted(this.statusCode, text()));
		}
		return this.entity;
	}

	/** The time after which the node asks to try again; {@code null} if it does not. */
	@Nullable Duration retryAfter() {
		return this.retryAfter;
	}

	@Override
	public String toString() {
		return "%d %s".formatted(this.statusCode, (this.entity != null) ? this.entity.toString() : text());
	}

}
