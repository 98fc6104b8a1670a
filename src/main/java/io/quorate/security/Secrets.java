package io.quorate.security;

import java.util.regex.Pattern;

/**
 * Secrets in messages, which get there by mistakes of users: a token that was pasted in
 * the place of a name, a path or a value.
 */
public final class Secrets {

	private static final String TOKEN = "qk_";

	private static final String JSON_WEB_TOKEN = "eyJ";

	/* What comes before the secret is kept: it helps to find the place. */
	private static final Pattern FORMS = Pattern
		.compile("(qk_[a-z0-9-]{1,32}_)[A-Za-z0-9_-]{16,}|(eyJ)[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

	private Secrets() {
	}

	/** The text without the secrets that are known by their form. */
	public static String hidden(String text) {
		return (text.contains(TOKEN) || text.contains(JSON_WEB_TOKEN)) ? FORMS.matcher(text).replaceAll("$1$2***")
				: text;
	}

}
