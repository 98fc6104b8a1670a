package io.quorate.security.access;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.DeniedException.Why;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class GateTests {

	private static final long SEED = 231;

	private static final int FUZZED = 100_000;

	private static final Token TOKEN = Token.generate("payments");

	private static final String FILE = """
			principals:
			  payments: {tokens: [{sha256: %s}], certificates: ["dns:payments"], read: ["pay:"], write: ["pay:"]}
			  scraper: {certificates: ["dns:scraper"], metrics: true}
			""".formatted(TOKEN.sha256());

	private final TestAccess access = TestAccess.of(FILE);

	@Test
	void withoutAFileEverybodyMayDoEverything() {
		Caller caller = TestAccess.open().enter(TOKEN, Right.ADMIN);
		caller.writing(Key.of("any"));
		assertThat(caller.principal().name()).isEqualTo("anonymous");
	}

	@Test
	void aTokenHasTheRightsOfItsPrincipal() {
		Caller caller = this.access.enter(TOKEN, Right.DATA);
		caller.reading(Key.of("pay:1"));
		caller.writing(Key.of("pay:1"));
		assertThat(why(() -> caller.reading(Key.of("pay")))).isEqualTo(Why.FORBIDDEN);
		assertThat(why(() -> this.access.enter(TOKEN, Right.METRICS))).isEqualTo(Why.FORBIDDEN);
		assertThat(why(() -> this.access.enter(TOKEN, Right.ADMIN))).isEqualTo(Why.FORBIDDEN);
	}

	@Test
	void theMessageOfADenialNamesThePrincipalAndNoKey() {
		Caller caller = this.access.enter(TOKEN, Right.DATA);
		DeniedException denied = denied(() -> caller.writing(Key.of("secret-key")));
		assertThat(denied).hasMessage("`payments` may not write keys outside its prefixes");
		assertThat(denied(() -> caller.reading(ScanRange.ascending(Key.of("pay:"), null))))
			.hasMessageContaining("may not read this range");
	}

	@Test
	void aCertificateCountsWhereThereIsNoAuthorization() {
		assertThat(enter(List.of(), List.of("dns:other", "dns:payments"), Right.DATA).principal().name())
			.isEqualTo("payments");
		assertThat(why(() -> enter(List.of("Bearer x"), List.of("dns:payments"), Right.DATA)))
			.as("the field alone decides")
			.isEqualTo(Why.INVALID_CREDENTIALS);
		assertThat(why(() -> enter(List.of(), List.of("dns:unknown"), Right.DATA))).isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void aPathWithoutARightIsOpenToStrangers() {
		Caller stranger = enter(List.of("Basic eDp5"), List.of(), Right.NONE);
		assertThat(why(() -> stranger.reading(Key.of("pay:1")))).isEqualTo(Why.FORBIDDEN);
	}

	@Test
	void noCredentialsAreTheAnonymousPrincipalIfThereIsOne() {
		assertThat(why(() -> enter(List.of(), List.of(), Right.KNOWN))).isEqualTo(Why.NO_CREDENTIALS);
		this.access.become("principals: {anonymous: {read: all}}");
		enter(List.of(), List.of(), Right.DATA).reading(Key.of("any"));
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).as("a token that is unknown is none")
			.isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void twoFieldsAreAmbiguous() {
		String valid = "Bearer " + TOKEN.text();
		assertThat(why(() -> enter(List.of(valid, valid), List.of(), Right.DATA))).isEqualTo(Why.AMBIGUOUS);
	}

	@Test
	void aTokenThatWasTakenAwayIsVoidAtItsNextRequest() {
		Caller running = this.access.enter(TOKEN, Right.DATA);
		ScanRange range = ScanRange.ascending(Key.of("pay:"), Key.of("pay;"));
		assertThat(running.mayStillRead(range)).isTrue();
		this.access.become("principals: {payments: {certificates: [\"dns:payments\"], read: [\"pay:\"]}}");
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).isEqualTo(Why.INVALID_CREDENTIALS);
		assertThat(running.mayStillRead(range)).isFalse();
	}

	@Test
	void aPrefixThatWasTakenAwayEndsARangeUnderWay() {
		ScanRange range = ScanRange.ascending(Key.of("pay:"), Key.of("pay;"));
		Caller running = enter(List.of(), List.of("dns:payments"), Right.DATA);
		this.access.become("principals: {payments: {certificates: [\"dns:payments\"], read: [\"pay:eu\"]}}");
		assertThat(running.mayStillRead(range)).isFalse();
		this.access.become("principals: {payments: {certificates: [\"dns:payments\"], read: all}}");
		assertThat(running.mayStillRead(range)).isTrue();
	}

	@Test
	void theRateLimitIsThatOfOneSecond() {
		this.access
			.become("principals: {payments: {tokens: [{sha256: %s}], read: all, limits: {requests-per-second: 3}}}"
				.formatted(TOKEN.sha256()));
		for (int i = 0; i < 3; i++) {
			this.access.enter(TOKEN, Right.DATA);
		}
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).isEqualTo(Why.RATE);
		pass(Duration.ofMillis(334));
		this.access.enter(TOKEN, Right.DATA);
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).isEqualTo(Why.RATE);
		pass(Duration.ofHours(1));
		for (int i = 0; i < 3; i++) {
			this.access.enter(TOKEN, Right.DATA);
		}
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).as("no more than one second is saved up")
			.isEqualTo(Why.RATE);
		this.access.become(FILE);
		this.access.enter(TOKEN, Right.DATA);
	}

	@Test
	void failuresOfAnAddressAreLimitedAndValidCredentialsAreNot() {
		List<Why> whys = new ArrayList<>();
		for (int i = 0; i < 2 * Gate.MAX_FAILURES; i++) {
			whys.add(why(() -> enter(List.of("Bearer wrong"), List.of(), Right.DATA)));
			this.access.enter(TOKEN, Right.DATA);
		}
		assertThat(whys.subList(0, Gate.MAX_FAILURES)).containsOnly(Why.INVALID_CREDENTIALS);
		assertThat(whys.subList(Gate.MAX_FAILURES, whys.size())).containsOnly(Why.FAILURES);
		assertThat(why(() -> this.access.gate.enter(new Credentials(List.of("Bearer wrong"), List.of(), "192.0.2.9"),
				Right.DATA)))
			.as("another address")
			.isEqualTo(Why.INVALID_CREDENTIALS);
		pass(Duration.ofSeconds(1));
		assertThat(why(() -> enter(List.of("Bearer wrong"), List.of(), Right.DATA))).isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void requestsAreCountedOnceByCredentialAndOutcome() {
		Caller served = this.access.enter(TOKEN, Right.DATA);
		served.served();
		served.served();
		Caller forbidden = this.access.enter(TOKEN, Right.DATA);
		why(() -> forbidden.reading(Key.of("x")));
		forbidden.served();
		why(() -> enter(List.of(), List.of(), Right.DATA));
		enter(List.of(), List.of(), Right.NONE).served();
		assertThat(this.access.counted("token", "served")).isOne();
		assertThat(this.access.counted("token", "forbidden")).isOne();
		assertThat(this.access.counted("none", "unauthenticated")).isOne();
		assertThat(this.access.counted("none", "served")).isZero();
		assertThat(this.access.meters.get("quorate.principal.requests").tag("principal", "payments").counter().count())
			.isOne();
	}

	@Test
	void atMostSixtyFourPrincipalsHaveSeriesOfTheirOwn() {
		StringBuilder file = new StringBuilder("principals:\n");
		for (int i = 0; i < 70; i++) {
			file.append("  p%d: {certificates: [\"dns:p%d\"], read: all}%n".formatted(i, i));
		}
		this.access.become(file.toString());
		for (int i = 0; i < 70; i++) {
			enter(List.of(), List.of("dns:p" + i), Right.DATA).served();
		}
		assertThat(this.access.meters.get("quorate.principal.requests").counters())
			.hasSize(AccessMetrics.MAX_PRINCIPALS + 1);
		assertThat(this.access.meters.get("quorate.principal.requests").tag("principal", "_others").counter().count())
			.isEqualTo(6);
	}

	@Test
	void garbageIsDeniedWhateverItIs() {
		Random random = new Random(SEED);
		String valid = "Bearer " + TOKEN.text();
		for (int i = 0; i < FUZZED; i++) {
			String field = fuzzed(valid, random);
			pass(Duration.ofSeconds(1));
			if (!field.regionMatches(true, 0, valid, 0, 7) || !field.substring(7).equals(TOKEN.text())) {
				assertThat(why(() -> enter(List.of(field), List.of(), Right.KNOWN))).as(field)
					.isEqualTo(Why.INVALID_CREDENTIALS);
			}
		}
		this.access.enter(TOKEN, Right.DATA);
	}

	private static String fuzzed(String valid, Random random) {
		StringBuilder field = new StringBuilder(valid);
		for (int changes = random.nextInt(4); changes >= 0; changes--) {
			int at = random.nextInt(field.length() + 1);
			switch (random.nextInt(4)) {
				case 0 -> field.insert(at, (char) random.nextInt(256));
				case 1 -> field.setLength(at);
				case 2 -> field.append(field, 0, at);
				default -> field.replace(Math.max(0, at - 1), at, String.valueOf((char) random.nextInt(128)));
			}
		}
		return field.toString();
	}

	@Test
	void aTokenIsValidAsLongAsTheFileSays() {
		this.access.become("principals: {payments: {tokens: [{sha256: %s, until: 2026-11-23}], read: all}}"
			.formatted(TOKEN.sha256()));
		this.access.enter(TOKEN, Right.DATA);
		this.access.now = Instant.parse("2026-11-24T00:00:00Z");
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void anExpiredTokenEndsARangeUnderWay() {
		this.access.become("principals: {payments: {tokens: [{sha256: %s, until: 2026-11-23}], read: all}}"
			.formatted(TOKEN.sha256()));
		ScanRange range = ScanRange.ascending(Key.of("pay:"), null);
		Caller running = this.access.enter(TOKEN, Right.DATA);
		assertThat(running.mayStillRead(range)).isTrue();
		this.access.now = Instant.parse("2026-11-24T00:00:00Z");
		assertThat(running.mayStillRead(range)).isFalse();
		assertThat(running.revoked().why()).isEqualTo(Why.FORBIDDEN);
	}

	@Test
	void aNewLimitCountsRequestsOfTheSameSecond() {
		limit(4);
		Caller before = this.access.enter(TOKEN, Right.DATA);
		for (int i = 0; i < 3; i++) {
			this.access.enter(TOKEN, Right.DATA);
		}
		limit(3);
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).isEqualTo(Why.RATE);
		before.served();
		assertThat(why(() -> this.access.enter(TOKEN, Right.DATA))).as("counting changes no limit").isEqualTo(Why.RATE);
	}

	private void limit(int perSecond) {
		this.access
			.become("principals: {payments: {tokens: [{sha256: %s}], read: all, limits: {requests-per-second: %d}}}"
				.formatted(TOKEN.sha256(), perSecond));
	}

	private Caller enter(List<String> authorization, List<String> names, Right right) {
		return Objects
			.requireNonNull(this.access.gate.enter(new Credentials(authorization, names, "192.0.2.1"), right));
	}

	private void pass(Duration time) {
		this.access.nanos.addAndGet(time.toNanos());
	}

	private static Why why(ThrowingCallable request) {
		return denied(request).why();
	}

	private static DeniedException denied(ThrowingCallable request) {
		DeniedException denied = catchThrowableOfType(DeniedException.class, request);
		assertThat(denied).isNotNull();
		return denied;
	}

}
