package io.quorate.client;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The charset of a media type. */
final class MediaType {

	private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*\"?([^\\s;\"]+)\"?");

	private MediaType() {
	}

	static Charset charset(String type) {
		Matcher matcher = CHARSET.matcher(type);
		return matcher.find() ? Charset.forName(matcher.group(1)) : StandardCharsets.UTF_8;
	}

}
