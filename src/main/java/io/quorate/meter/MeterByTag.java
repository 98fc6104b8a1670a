package io.quorate.meter;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A meter for each constant of an enum, which is the value of a tag: registered at once,
 * so that its series are there with zero, and found without a look-up by name.
 *
 * @param <E> the values of the tag
 * @param <M> the meters
 */
public final class MeterByTag<E extends Enum<E>, M> {

	private final Map<E, M> meters;

	/** Registers a meter for each constant. */
	public MeterByTag(Class<E> values, Function<E, M> register) {
		this.meters = new EnumMap<>(values);
		for (E value : values.getEnumConstants()) {
			this.meters.put(value, register.apply(value));
		}
	}

	/** The meter of a constant. */
	public M of(E value) {
		return Objects.requireNonNull(this.meters.get(value));
	}

	/** A constant as the value of a tag: its name in small letters. */
	public static String word(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
