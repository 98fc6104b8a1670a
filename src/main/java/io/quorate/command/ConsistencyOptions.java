package io.quorate.command;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option that says how many replicas must answer. */
final class ConsistencyOptions {

	@Option(names = "--replicas", paramLabel = "ACK/FROM", converter = Quorum.class,
			description = "ACK of FROM replicas must answer, such as 2/3. Default: a majority of all.")
	private @Nullable String replicas;

	Call on(Call call) {
		return call.with("replicas", this.replicas);
	}

	/** Two numbers with a slash between them; the node says whether they fit it. */
	static final class Quorum implements ITypeConverter<String> {

		private static final Pattern FORM = Pattern.compile("[0-9]{1,3}/[0-9]{1,3}");

		@Override
		public String convert(String text) {
			if (!FORM.matcher(text).matches()) {
				throw new TypeConversionException("'" + text + "' is no quorum: write two numbers, such as 2/3");
			}
			return text;
		}

	}

}
