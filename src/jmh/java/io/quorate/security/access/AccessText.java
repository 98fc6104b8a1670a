package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An access file of many principals, {@code p0} and so on, each with one token and as many
 * prefixes for each of its rights: {@code p0-0-}, {@code p0-1-} and so on.
 */
final class AccessText {

	private AccessText() {
	}

	/** Tokens of this many principals. */
	static List<Token> tokens(int principals) {
		return IntStream.range(0, principals).mapToObj((number) -> Token.generate("p" + number)).toList();
	}

	/** The bytes of the file. */
	static byte[] of(List<Token> tokens, int prefixes) {
		return tokens.stream()
			.map((token) -> line(token, prefixes))
			.collect(Collectors.joining("\n", "principals:\n", "\n"))
			.getBytes(StandardCharsets.UTF_8);
	}

	private static String line(Token token, int prefixes) {
		String listed = IntStream.range(0, prefixes)
			.mapToObj((prefix) -> "\"%s-%d-\"".formatted(token.principal(), prefix))
			.collect(Collectors.joining(", ", "[", "]"));
		return "  %s: {tokens: [{sha256: \"%s\"}], read: %s, write: %s}".formatted(token.principal(), token.sha256(),
				listed, listed);
	}

}
