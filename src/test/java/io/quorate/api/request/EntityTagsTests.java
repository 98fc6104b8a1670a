package io.quorate.api.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;

import io.quorate.api.problem.ProblemException;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition.Versions;
import io.quorate.entry.Condition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Entity tags in the place of conditions: what is understood, and what is refused. */
class EntityTagsTests {

	private static final Timestamp VERSION = new Timestamp(0x0192f3c5a1b20000L, 0xf0000007);

	private static final String TAG = "\"0192f3c5a1b20000-f0000007\"";

	/* Of the characters below: the grammar of RFC 9110, with at least one element. */
	private static final Pattern LIST = Pattern.compile("[ ,]*(W/)?\"[a*,/W]*\" *(, *((W/)?\"[a*,/W]*\" *)?)*");

	private static final Pattern ANY = Pattern.compile("[ ,]*\\*[ ,]*");

	private static final String CHARACTERS = "\"*, W/a";

	@Test
	void everyShortTextIsReadAsTheGrammarHasIt() {
		int understood = 0;
		for (int length = 0; length <= 6; length++) {
			int texts = (int) Math.pow(CHARACTERS.length(), length);
			for (int number = 0; number < texts; number++) {
				String text = text(number, length);
				boolean isAny = ANY.matcher(text).matches();
				EntityTags read = read(text);
				assertThat(read != null).as(text).isEqualTo(isAny || LIST.matcher(text).matches());
				if (read != null) {
					assertThat(read.isAny()).as(text).isEqualTo(isAny);
					assertThat(read.named().isEmpty()).as(text).isEqualTo(isAny);
					understood++;
				}
			}
		}
		assertThat(understood).isGreaterThan(1_000);
	}

	private static String text(int number, int length) {
		StringBuilder text = new StringBuilder();
		for (int left = number; text.length() < length; left /= CHARACTERS.length()) {
			text.append(CHARACTERS.charAt(left % CHARACTERS.length()));
		}
		return text.toString();
	}

	private static @Nullable EntityTags read(String... lists) {
		try {
			return EntityTags.parse("If-Match", List.of(lists));
		}
		catch (ProblemException refused) {
			assertThat(refused.problem().status()).isEqualTo(400);
			assertThat(refused).hasMessageStartingWith("If-Match is neither")
				.hasMessageContaining("If-Match: \"0192f3c5a1b20000-00000007\"");
			return null;
		}
	}

	@Test
	void listsAreReadAsTheyWereWritten() {
		Random random = new Random(29);
		for (int run = 0; run < 20_000; run++) {
			List<EntityTag> written = new ArrayList<>();
			List<String> lists = new ArrayList<>();
			for (int left = 1 + random.nextInt(3); left > 0; left--) {
				StringBuilder list = new StringBuilder(padding(random));
				for (int tags = 1 + random.nextInt(4); tags > 0; tags--) {
					EntityTag tag = tag(random);
					written.add(tag);
					list.append(list.toString().isBlank() ? "" : ",")
						.append(random.nextInt(4) == 0 ? padding(random) + "," : "")
						.append(padding(random))
						.append(tag.isWeak() ? "W/" : "")
						.append(tag.quoted())
						.append(padding(random));
				}
				lists.add(list.toString());
			}
			assertThat(EntityTags.parse("If-Match", lists)).as(lists.toString())
				.isEqualTo(new EntityTags(false, written));
		}
	}

	private static String padding(Random random) {
		return List.of("", "", " ", "\t", " \t ").get(random.nextInt(5));
	}

	private static EntityTag tag(Random random) {
		StringBuilder opaque = new StringBuilder();
		for (int left = random.nextInt(30); left > 0; left--) {
			char c = (char) (0x21 + random.nextInt(0x100 - 0x21));
			opaque.append((c == '"' || c == 0x7f) ? '!' : c);
		}
		return new EntityTag("\"" + opaque + "\"", random.nextBoolean());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", ",", ", ,", "x", "0192f3c5a1b20000-f0000007", "\"", "\"x", "x\"", "'x'",
			"\"x\"\"y\"", "\"x\" \"y\"", "\"x\";\"y\"", "\"x\"y", "\"a b\"", "\"a\tb\"", "\"\u007f\"", "\"\u0100\"",
			"\"\u20ac\"", "w/\"x\"", "W\"x\"", "W/ \"x\"", "W/x", "W/", "*,*", "* *", "*, \"x\"", "\"x\", *", "**",
			"W/*", "null", "None", "\"x\"\n", "\n", "\"x\",\r\n\"y\"", "\u00a0\"x\"", "\"x\"\u0000" })
	void aTextThatIsNoListOfTagsIsRefused(String text) {
		assertThat(read(text)).isNull();
	}

	@Test
	void aTagDoesNotGoOnInTheNextLine() {
		assertThat(read("\"a", "b\"")).isNull();
		assertThat(read("*", "*")).isNull();
		assertThat(read("*", "\"x\"")).isNull();
		assertThat(read("", "")).isNull();
	}

	@Test
	void aFieldThatIsNotThereIsNoEmptyOne() {
		HttpHeaders headers = new HttpHeaders();
		assertThat(EntityTags.of(headers, HttpHeaders.IF_MATCH)).isNull();
		headers.add(HttpHeaders.IF_MATCH, "");
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> EntityTags.of(headers, HttpHeaders.IF_MATCH));
		headers.add(HttpHeaders.IF_MATCH, TAG);
		assertThat(EntityTags.of(headers, HttpHeaders.IF_MATCH))
			.isEqualTo(new EntityTags(false, List.of(new EntityTag(TAG, false))));
	}

	@Test
	void everyVersionHasOneTag() {
		Random random = new Random(31);
		for (int run = 0; run < 10_000; run++) {
			Timestamp version = new Timestamp(random.nextLong(), random.nextInt());
			assertThat(new EntityTag(EntityTag.of(version), random.nextBoolean()).version()).isEqualTo(version);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"\"", "\"x\"", "\"0192F3C5A1B20000-F0000007\"", "\"0192f3c5a1b20000f0000007\"",
			"\"0192f3c5a1b20000_f0000007\"", "\"0192f3c5a1b2000-0f0000007\"", "\"0192f3c5a1b20000-f0000007-gzip\"",
			"\"0192f3c5a1b20000-f000000\"", "\"g192f3c5a1b20000-f0000007\"", "\"0192f3c5a1b20000-f000000g\"",
			"\"+192f3c5a1b20000-f0000007\"" })
	void noOtherTagIsAVersion(String quoted) {
		assertThat(new EntityTag(quoted, false).version()).isNull();
	}

	@Test
	void aWriteMatchesStronglyAndExcludesWeakly() {
		assertThat(ofWrite(TAG, null)).isEqualTo(new Condition(Versions.of(List.of(VERSION)), null));
		assertThat(ofWrite("W/" + TAG, null)).isEqualTo(new Condition(Versions.of(List.of()), null));
		assertThat(ofWrite("\"other\"", null)).isEqualTo(new Condition(Versions.of(List.of()), null));
		assertThat(ofWrite("*", null)).isEqualTo(new Condition(Versions.ANY, null));
		assertThat(ofWrite(null, "*")).isEqualTo(Condition.ABSENT);
		assertThat(ofWrite(null, "W/" + TAG + ", \"other\""))
			.isEqualTo(new Condition(null, new Versions(false, Set.of(VERSION))));
		assertThat(ofWrite("*", TAG)).isEqualTo(new Condition(Versions.ANY, Versions.of(List.of(VERSION))));
	}

	@Test
	void onlyAWriteWithoutFieldsHasNoCondition() {
		assertThat(ofWrite(null, null)).isNull();
		assertThat(Preconditions.ofWrite(HttpHeaders.EMPTY, true)).isEqualTo(Condition.NONE);
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> ofWrite("", null));
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> ofWrite(TAG, ""));
	}

	@Test
	void aWriteNamesABoundedNumberOfVersions() {
		String most = String.join(",", Collections.nCopies(EntityTags.MOST_OF_A_WRITE, TAG));
		assertThat(ofWrite(most, most)).isNotNull();
		for (String[] fields : new String[][] { { most + ",W/\"\"", null }, { null, most + "," + TAG } }) {
			assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> ofWrite(fields[0], fields[1]))
				.withMessageContaining("names 33 versions: that of a write may name 32");
		}
	}

	private static @Nullable Condition ofWrite(@Nullable String match, @Nullable String noneMatch) {
		HttpHeaders headers = new HttpHeaders();
		if (match != null) {
			headers.set(HttpHeaders.IF_MATCH, match);
		}
		if (noneMatch != null) {
			headers.set(HttpHeaders.IF_NONE_MATCH, noneMatch);
		}
		return Preconditions.ofWrite(headers, false);
	}

}
