package io.quorate.api.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Condition.Versions;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The entity tags in the place of a condition (RFC 9110, 13.1.1 and 13.1.2): any, or a
 * list of at least one. What is neither is refused: a condition that is not understood
 * would be one that is not kept.
 *
 * @param isAny whether it is {@code *}
 * @param named the tags of the list, none with {@code *}
 */
public record EntityTags(boolean isAny, List<EntityTag> named) {

	/** Number of versions that a write may name: nodes compare them. */
	static final int MOST_OF_A_WRITE = 32;

	private static final Pattern ELEMENT = Pattern
		.compile("[ \\t]*+(?:(?<any>\\*)|(?<weak>W/)?(?<quoted>\"[!#-~\\x80-\\xff]*+\"))?[ \\t]*+(?:,|\\z)");

	/**
	 * The entity tags of a header field, {@code null} when it is not there.
	 * @throws ProblemException 400 when it is not well-formed
	 */
	static @Nullable EntityTags of(HttpHeaders headers, String field) {
		List<String> lines = headers.get(field);
		return (lines != null) ? parse(field, lines) : null;
	}

	/**
	 * Parses lists of entity tags, which are one. Lists may have empty elements.
	 * @param what their name, for the message
	 * @throws ProblemException 400 when they are not well-formed
	 */
	public static EntityTags parse(String what, List<String> lists) {
		List<EntityTag> named = new ArrayList<>();
		int stars = 0;
		for (String list : lists) {
			Matcher element = ELEMENT.matcher(list);
			for (int at = 0; at < list.length(); at = element.end()) {
				if (!element.region(at, list.length()).lookingAt()) {
					throw malformed(what);
				}
				String quoted = element.group("quoted");
				if (quoted != null) {
					named.add(new EntityTag(quoted, element.group("weak") != null));
				}
				stars += (element.group("any") != null) ? 1 : 0;
			}
		}
		if ((stars == 0) == named.isEmpty() || stars > 1) {
			throw malformed(what);
		}
		return new EntityTags(stars == 1, List.copyOf(named));
	}

	private static ProblemException malformed(String what) {
		return ProblemException.badRequest(
				"%s is neither * nor a list of versions: a version stands in its quotes, as in If-Match: \"0192f3c5a1b20000-00000007\", and commas separate several"
					.formatted(what));
	}

	/**
	 * Whether a tag is one of these.
	 * @param quoted a strong tag in its quotes
	 * @param strongly whether weak ones are others
	 */
	boolean include(String quoted, boolean strongly) {
		return this.isAny
				|| this.named.stream().anyMatch((tag) -> tag.quoted().equals(quoted) && !(strongly && tag.isWeak()));
	}

	/**
	 * The versions that these are.
	 * @param strongly whether weak ones are none
	 * @throws ProblemException 400 when they are too many
	 */
	Versions versions(boolean strongly) {
		if (this.named.size() > MOST_OF_A_WRITE) {
			throw ProblemException.badRequest("a condition names %d versions: that of a write may name %d"
				.formatted(this.named.size(), MOST_OF_A_WRITE));
		}
		return this.isAny ? Versions.ANY
				: Versions.of(this.named.stream()
					.filter((tag) -> !(strongly && tag.isWeak()))
					.map(EntityTag::version)
					.filter(Objects::nonNull)
					.toList());
	}

}
