package io.quorate.client;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The replicas in the header field {@code Server-Timing} of a node. */
final class ServerTiming {

	/* Parts that a node adds stand without a time, or have other words. */
	private static final Pattern ANSWERED = Pattern.compile("(?:^|,)\\s*([^\\s;,=\"]+);dur=[0-9.]+;"
			+ "desc=\"(?:hedge |fetch )?(?:applied|incomplete|superseded|found|digest|absent)\"");

	private static final int LONGEST = 8 * 1024;

	private ServerTiming() {
	}

	/** Returns the number of replicas that had answered; {@code null} without any. */
	static @Nullable Integer acknowledged(Answer answer) {
		Set<String> replicas = new HashSet<>();
		List<String> fields = answer.fields("server-timing");
		for (String field : fields) {
			if (field.length() <= LONGEST) {
				Matcher answered = ANSWERED.matcher(field);
				while (answered.find()) {
					replicas.add(answered.group(1));
				}
			}
		}
		return replicas.isEmpty() ? null : replicas.size();
	}

}
