package io.quorate.api.request;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.quorate.entry.Key;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys that clients write only by conditional or linearizable requests.
 *
 * @param only prefixes of keys that take no other write, the same on all nodes; none if
 * empty
 */
@ConfigurationProperties("quorate.conditional")
public record ConditionalProperties(@DefaultValue List<String> only) {

	public ConditionalProperties {
		only = List.copyOf(only);
		for (String prefix : only) {
			int size = prefix.getBytes(StandardCharsets.UTF_8).length;
			if (size == 0 || size > Key.MAX_SIZE_BYTES) {
				throw new IllegalArgumentException(
						"quorate.conditional.only must have prefixes of 1 to %d bytes, not one of %d"
							.formatted(Key.MAX_SIZE_BYTES, size));
			}
		}
	}

}
