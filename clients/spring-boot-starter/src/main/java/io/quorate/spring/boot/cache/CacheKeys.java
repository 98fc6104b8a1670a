package io.quorate.spring.boot.cache;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The keys of one cache in the store. Other names of caches, and other arguments, have
 * other keys.
 */
final class CacheKeys {

	/** The field of {@link SimpleKey} that has the arguments of a method. */
	static final String ARGUMENTS = "params";

	private static final int MOST_BYTES = 1_024;

	private final String prefix;

	CacheKeys(String prefix, String cache) {
		this.prefix = prefix + cache.replace("%", "%25").replace("/", "%2F") + "/";
	}

	/** Returns the beginning of all keys of the cache, and of no others. */
	String prefix() {
		return this.prefix;
	}

	/**
	 * Returns the key in the store, of a key that is too long the hash.
	 * @param key the key of the caller
	 * @throws IllegalArgumentException if its text does not tell it from others
	 */
	String of(Object key) {
		String text = text(key).replace("%", "%25");
		byte[] bytes = (this.prefix + text).getBytes(StandardCharsets.UTF_8);
		// Behind a percent sign of a text is always 25.
		return this.prefix + ((bytes.length <= MOST_BYTES) ? text : "%" + hash(bytes));
	}

	private static String hash(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException failure) {
			throw new IllegalStateException(failure);
		}
	}

	private static String text(@Nullable Object key) {
		if (key == null) {
			return "\\0";
		}
		if (key instanceof SimpleKey) {
			return list(Arrays.asList(arguments(key)));
		}
		if (key instanceof Collection<?> elements) {
			return list(elements);
		}
		if (key.getClass().isArray()) {
			return list(Arrays.asList(ObjectUtils.toObjectArray(key)));
		}
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(key.getClass(), "toString"));
		if (method.getDeclaringClass() == Object.class) {
			throw new IllegalArgumentException(
					"a key of a cache needs a toString() of its own, which " + key.getClass().getName() + " has not");
		}
		return key.toString().replace("\\", "\\\\").replace(",", "\\,");
	}

	/* The text of a SimpleKey is the same for ("a, b", "c") and ("a", "b, c"). */
	private static @Nullable Object[] arguments(Object key) {
		Field field = Objects.requireNonNull(ReflectionUtils.findField(SimpleKey.class, ARGUMENTS));
		ReflectionUtils.makeAccessible(field);
		return (Object[]) Objects.requireNonNull(ReflectionUtils.getField(field, key));
	}

	private static String list(Collection<? extends @Nullable Object> elements) {
		return elements.stream().map((each) -> text(each) + ",").collect(Collectors.joining("", "\\[", "\\]"));
	}

}
