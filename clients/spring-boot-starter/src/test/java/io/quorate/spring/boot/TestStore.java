package io.quorate.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The values of a node by the rules of conditional writes. None of them ends. */
final class TestStore implements Function<TestNode.Received, TestNode.Answer> {

	private static final TestNode.Answer UNMET = new TestNode.Answer(412,
			"{\"type\":\"urn:quorate:problem:precondition-failed\",\"status\":412}",
			Map.of("Content-Type", "application/problem+json"));

	private static final Pattern TTL = Pattern.compile("ttl=(\\d+)");

	private final Map<String, Stored> values = new HashMap<>();

	private int versions;

	/** Returns the time at which a value ends. */
	synchronized @Nullable Instant expires(String key) {
		Stored stored = this.values.get(key);
		return (stored != null) ? stored.expires : null;
	}

	@Override
	public synchronized TestNode.Answer apply(TestNode.Received request) {
		String[] parts = request.target().split("\\?", 2);
		String key = parts[0].substring("/v0/entity/".length());
		Stored stored = this.values.get(key);
		if (request.method().equals("GET")) {
			return (stored != null) ? new TestNode.Answer(200, stored.value, fields(stored)) : TestNode.ABSENT;
		}
		String match = request.field("If-Match");
		boolean isMet = match == null || (stored != null && (match.equals("*") || match.equals(stored.etag)));
		if (!isMet || (request.field("If-None-Match") != null && stored != null)) {
			return UNMET;
		}
		Matcher ttl = TTL.matcher(request.target());
		Instant expires = ttl.find() ? Instant.now().plus(Duration.ofSeconds(Long.parseLong(ttl.group(1))))
				: (stored != null) ? stored.expires : null;
		String etag = "\"" + ++this.versions + "\"";
		if (request.method().equals("DELETE")) {
			this.values.remove(key);
			return new TestNode.Answer(202, "", Map.of("ETag", etag));
		}
		Stored next = new Stored(request.body(), etag, expires);
		if (request.method().equals("PATCH")) {
			if (stored == null) {
				return TestNode.ABSENT;
			}
			boolean isLonger = expires != null && stored.expires != null && expires.isAfter(stored.expires);
			next = new Stored(stored.value, stored.etag, isLonger ? expires : stored.expires);
		}
		this.values.put(key, next);
		return new TestNode.Answer(request.method().equals("PATCH") ? 200 : 201, "", fields(next));
	}

	private static Map<String, String> fields(Stored stored) {
		Map<String, String> fields = new HashMap<>(
				Map.of("ETag", stored.etag, "Content-Type", "application/octet-stream"));
		if (stored.expires != null) {
			fields.put("Expires", DateTimeFormatter.RFC_1123_DATE_TIME.format(stored.expires.atOffset(ZoneOffset.UTC)));
		}
		return fields;
	}

	private record Stored(String value, String etag, @Nullable Instant expires) {
	}

}
