package io.quorate.ring;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Members with random ids, the same for one seed. */
final class RandomMembers {

	private static final String CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	private static final int LONGEST = 63;

	private RandomMembers() {
	}

	static List<Member> withoutZones(long seed, int count) {
		return ids(seed, count).stream().map(Member::of).toList();
	}

	/* The same number of members in each zone, or one less. */
	static List<Member> inZones(long seed, int count, int zones) {
		List<String> ids = ids(seed, count);
		return IntStream.range(0, count).mapToObj((i) -> new Member(ids.get(i), "zone-" + i % zones)).toList();
	}

	private static List<String> ids(long seed, int count) {
		Random random = new Random(seed);
		Set<String> ids = new LinkedHashSet<>();
		while (ids.size() < count) {
			ids.add(id(random));
		}
		return new ArrayList<>(ids);
	}

	private static String id(Random random) {
		StringBuilder id = new StringBuilder();
		int length = random.nextInt(1, LONGEST + 1);
		while (id.length() < length) {
			id.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
		}
		return id.toString();
	}

}
