package io.quorate.command.data;

import java.time.Duration;

import io.quorate.command.terminal.DurationConverter;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The time to live of a value. One that no node takes is refused before any request. */
final class TimeToLive implements ITypeConverter<Duration> {

	private static final Duration LONGEST = Duration.ofDays(3_650);

	@Override
	public Duration convert(String text) {
		Duration time = new DurationConverter().convert(text);
		if (time.toNanosPart() != 0 || time.compareTo(LONGEST) > 0) {
			throw new TypeConversionException("a time to live is in whole seconds, at most 3650d");
		}
		return time;
	}

}
