package io.quorate.operations.configuration;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

import io.quorate.operations.Spelling;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * The names of all properties that a record binds, in their canonical form:
 * {@code quorate.storage.max-value-size}. Lists and maps take further elements behind
 * their name. Names are compared without dashes and case, as binding does.
 */
final class KnownProperties {

	/* A name is not suggested if more than one in so many characters differs. */
	private static final int SUGGESTED_WITHIN = 3;

	private static final String PREFIX = "quorate";

	private final SortedSet<String> names = new TreeSet<>();

	private final SortedSet<String> open = new TreeSet<>();

	/** Adds the properties that a record binds under a prefix. */
	void add(String prefix, Class<?> recordType) {
		for (Parameter parameter : bound(recordType).getParameters()) {
			String name = prefix + "." + DataObjectPropertyName.toDashedForm(parameter.getName());
			Class<?> type = parameter.getType();
			if (type.isRecord()) {
				add(name, type);
			}
			else {
				this.names.add(name);
				if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
					this.open.add(name);
				}
			}
		}
	}

	/* Of a record with several constructors the one that is bound is marked. */
	private static Constructor<?> bound(Class<?> recordType) {
		List<Constructor<?>> all = List.of(recordType.getDeclaredConstructors());
		return all.stream()
			.filter((constructor) -> constructor.isAnnotationPresent(ConstructorBinding.class))
			.findFirst()
			.orElseGet(all::getFirst);
	}

	/** Whether a name of a file, a system property or an argument is bound. */
	boolean contains(String name) {
		return matches(name, ".");
	}

	/**
	 * Whether an environment variable is bound: upper case, underscores for dots, dashes
	 * left out or underscores too.
	 */
	boolean containsVariable(String variable) {
		return matches(variable, "");
	}

	/**
	 * The known name that another one is but for its prefix or its dots, such as
	 * {@code node-id} and {@code storage.directory}; empty if there is none.
	 */
	Optional<String> meantBy(String name) {
		String plain = plain(name, "");
		return this.names.stream().filter((known) -> {
			String whole = plain(known, "");
			return plain.equals(whole) || plain.equals(whole.substring(PREFIX.length()));
		}).findFirst();
	}

	private boolean matches(String name, String separator) {
		String plain = plain(name, separator);
		return this.names.stream().anyMatch((known) -> plain(known, separator).equals(plain))
				|| this.open.stream().anyMatch((known) -> plain.startsWith(plain(known, separator) + separator));
	}

	/**
	 * The known name that is nearest to an unknown one; the first of those equally near.
	 */
	Nearest nearest(String unknown) {
		String plain = plain(unknown, "");
		String best = "";
		int least = Integer.MAX_VALUE;
		for (String known : this.names) {
			int distance = Spelling.distance(plain, plain(known, ""));
			if (distance < least) {
				least = distance;
				best = known;
			}
		}
		return new Nearest(best, least <= Math.max(1, plain.length() / SUGGESTED_WITHIN));
	}

	private static String plain(String name, String separator) {
		StringBuilder plain = new StringBuilder(name.length());
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			if (c == '.' || c == '[') {
				plain.append(separator);
			}
			else if (Character.isLetterOrDigit(c)) {
				plain.append(Character.toLowerCase(c));
			}
		}
		return plain.toString();
	}

	/**
	 * The known name that may have been meant.
	 *
	 * @param name the nearest name
	 * @param near whether it is near enough to suggest it
	 */
	record Nearest(String name, boolean near) {
	}

}
