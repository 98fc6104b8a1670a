package io.quorate.security;

import java.util.regex.Pattern;

/**
 * Secrets in messages, which get there by mistakes of users: a token that was pasted in
 * the place of a name, a path or a value.
 */
public final class Secrets {

	private static final String TOKEN = "qk_";

	private static final String JSON_WEB_TOKEN = "eyJ";

	private static final String WORD = "[A-Za-z0-9_-]";

	private static final String TOKEN_HEAD = "qk_[a-z0-9-]{1,32}_";

	/*
	 * What comes before the secret is kept: it helps to find the place. A run of letters
	 * is searched once for the first part of a JSON web token, at its beginning: a search
	 * from each place would take the square of its length.
	 */
	private static final Pattern FORMS = Pattern.compile("""
			(HEAD)W{16,}\
			|(?<!W)((?:(?!eyJ|HEADW{16})W)*+eyJ)W++\\.W++\\.W*+""".replace("HEAD", TOKEN_HEAD).replace("W", WORD));

	private Secrets() {
	}

	/** The text without the secrets that are known by their form. */
	public static String hidden(String text) {
		return (text.contains(TOKEN) || text.contains(JSON_WEB_TOKEN)) ? searched(text) : text;
	}

	/** As {@link #hidden}; looks at each character a few times at most. */
	static String searched(CharSequence text) {
		return FORMS.matcher(text).replaceAll("$1$2***");
	}

}
