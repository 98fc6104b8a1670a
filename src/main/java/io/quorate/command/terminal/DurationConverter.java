package io.quorate.command.terminal;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A length of time with its unit, such as {@code 500ms}, {@code 2s} or {@code 1h}. The
 * forms are those of the properties of a node, but for a number without a unit.
 */
public final class DurationConverter implements ITypeConverter<Duration> {

	private static final Pattern FORM = Pattern.compile("\\+?([0-9]{1,18})(ns|us|ms|s|m|h|d)",
			Pattern.CASE_INSENSITIVE);

	/* Longer than any time that a command waits, or a value lives. */
	private static final Duration LONGEST = Duration.ofDays(36_500);

	@Override
	public Duration convert(String text) {
		Duration time = parsed(text);
		if (time == null || time.toNanosPart() % Duration.ofMillis(1).toNanos() != 0 || !time.isPositive()
				|| time.compareTo(LONGEST) > 0) {
			throw new TypeConversionException("'" + text + "' is no time of whole milliseconds, at most 36500d:"
					+ " write a number and its unit, such as 500ms, 2s, 5m, 1h or 1d");
		}
		return time;
	}

	private static @Nullable Duration parsed(String text) {
		Matcher simple = FORM.matcher(text);
		try {
			if (!simple.matches()) {
				return Duration.parse(text);
			}
			long number = Long.parseLong(simple.group(1));
			return switch (simple.group(2).toLowerCase(Locale.ROOT)) {
				case "ns" -> Duration.ofNanos(number);
				case "us" -> Duration.ofNanos(Math.multiplyExact(number, 1_000L));
				case "ms" -> Duration.ofMillis(number);
				case "s" -> Duration.ofSeconds(number);
				case "m" -> Duration.ofMinutes(number);
				case "h" -> Duration.ofHours(number);
				default -> Duration.ofDays(number);
			};
		}
		catch (DateTimeException | ArithmeticException none) {
			return null;
		}
	}

}
