package io.quorate.command.access;

import java.util.regex.Pattern;

import io.quorate.client.CallOptions;
import io.quorate.client.Request;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The option that says how many replicas must answer. The parser sets it before the
 * command runs; from then on it is only read.
 */
public final class ConsistencyOptions {

	@Option(names = "--replicas", paramLabel = "ACK/FROM", converter = Quorum.class,
			description = "ACK of FROM replicas must answer, such as 2/3. Default: a majority of all.")
	private @Nullable String replicas;

	/** A request with what the user has asked for. */
	public Request on(Request request) {
		return request.parameter("replicas", this.replicas);
	}

	/** Options of a call with what the user has asked for. */
	public CallOptions on(CallOptions options) {
		if (this.replicas == null) {
			return options;
		}
		int slash = this.replicas.indexOf('/');
		return options.ack(Integer.parseInt(this.replicas.substring(0, slash)))
			.from(Integer.parseInt(this.replicas.substring(slash + 1)));
	}

	/** Two numbers with a slash between them; the node says whether they fit it. */
	static final class Quorum implements ITypeConverter<String> {

		private static final Pattern FORM = Pattern.compile("[1-9][0-9]{0,2}/[1-9][0-9]{0,2}");

		@Override
		public String convert(String text) {
			if (!FORM.matcher(text).matches()) {
				throw new TypeConversionException("'" + text + "' is no quorum: write two numbers, such as 2/3");
			}
			return text;
		}

	}

}
