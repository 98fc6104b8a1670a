package io.quorate.spring.boot.config;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.util.StringUtils;

/**
 * The imported properties of one prefix, which are exchanged as a whole. All threads may
 * read them, one at a time may exchange them.
 */
final class QuoratePropertySource extends EnumerablePropertySource<ConfigValues> {

	private volatile Map<String, Object> properties = Map.of();

	QuoratePropertySource(String name, ConfigValues values) {
		super(name, values);
		exchange();
	}

	/** Takes the present values, and returns the names of the properties that differ. */
	Set<String> exchange() {
		Map<String, Object> before = this.properties;
		Map<String, Object> after = this.source.properties();
		Set<String> changed = new TreeSet<>(before.keySet());
		changed.addAll(after.keySet());
		changed.removeIf((name) -> Objects.equals(before.get(name), after.get(name)));
		this.properties = after;
		return changed;
	}

	@Override
	public String[] getPropertyNames() {
		return StringUtils.toStringArray(this.properties.keySet());
	}

	@Override
	public @Nullable Object getProperty(String name) {
		return this.properties.get(name);
	}

}
