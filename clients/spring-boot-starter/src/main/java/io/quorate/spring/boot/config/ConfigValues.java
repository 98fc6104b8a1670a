package io.quorate.spring.boot.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * The properties of the keys with one prefix. A key that ends as the name of a file is a
 * document with many; any other one is a property, whose dots may be slashes, and which
 * beats all documents. For one thread at a time.
 */
final class ConfigValues {

	private static final List<PropertySourceLoader> LOADERS = SpringFactoriesLoader
		.forDefaultResourceLocation(ConfigValues.class.getClassLoader())
		.load(PropertySourceLoader.class);

	private final String prefix;

	private final SortedMap<String, Map<String, Object>> documents = new TreeMap<>();

	private final SortedMap<String, Map<String, Object>> singles = new TreeMap<>();

	ConfigValues(String prefix) {
		this.prefix = prefix;
	}

	String prefix() {
		return this.prefix;
	}

	/**
	 * Takes the value of a key.
	 * @throws IllegalArgumentException if it is no text, or no document; then the key
	 * keeps what it had
	 */
	void put(String key, byte[] value) {
		String name = key.substring(this.prefix.length());
		PropertySourceLoader loader = loader(name);
		if (loader != null) {
			this.documents.put(key, parse(loader, key, value));
		}
		else if (!name.isEmpty()) {
			this.singles.put(key, Map.of(name.replace('/', '.'), text(key, value)));
		}
	}

	void remove(String key) {
		this.documents.remove(key);
		this.singles.remove(key);
	}

	void retain(Set<String> keys) {
		this.documents.keySet().retainAll(keys);
		this.singles.keySet().retainAll(keys);
	}

	Map<String, Object> properties() {
		Map<String, Object> properties = new LinkedHashMap<>();
		this.documents.values().forEach(properties::putAll);
		this.singles.values().forEach(properties::putAll);
		return properties;
	}

	private static @Nullable PropertySourceLoader loader(String name) {
		return LOADERS.stream()
			.filter((loader) -> List.of(loader.getFileExtensions()).contains(name.substring(name.lastIndexOf('.') + 1))
					&& name.contains("."))
			.findFirst()
			.orElse(null);
	}

	private static String text(String key, byte[] value) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException failure) {
			throw new IllegalArgumentException("the value of " + key + " is no text in UTF-8", failure);
		}
	}

	private static Map<String, Object> parse(PropertySourceLoader loader, String key, byte[] value) {
		text(key, value);
		Map<String, Object> properties = new LinkedHashMap<>();
		try {
			for (PropertySource<?> source : loader.load(key, new ByteArrayResource(value, key))) {
				for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
					if (name.startsWith("spring.config.activate.")) {
						throw new IllegalArgumentException(
								key + " has " + name + ": what is of a profile has a prefix of its own");
					}
					properties.put(name, String.valueOf(source.getProperty(name)));
				}
			}
		}
		catch (IOException | RuntimeException failure) {
			throw new IllegalArgumentException(key + " cannot be parsed: " + failure.getMessage(), failure);
		}
		return properties;
	}

}
