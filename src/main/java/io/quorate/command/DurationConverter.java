package io.quorate.command;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A length of time with its unit, such as {@code 500ms}, {@code 2s} or {@code 5m}. */
final class DurationConverter implements ITypeConverter<Duration> {

	private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m)");

	@Override
	public Duration convert(String text) {
		Matcher matcher = FORM.matcher(text);
		if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
			throw new TypeConversionException(
					"'" + text + "' is no time: write a number and its unit, such as 500ms, 2s or 5m");
		}
		long number = Long.parseLong(matcher.group(1));
		return switch (matcher.group(2)) {
			case "ms" -> Duration.ofMillis(number);
			case "s" -> Duration.ofSeconds(number);
			default -> Duration.ofMinutes(number);
		};
	}

}
