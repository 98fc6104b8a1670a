package io.quorate.security.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.DeniedException.Why;
import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** JSON web tokens at the gate: the access file decides on their subjects. */
class GateJwtTests {

	private static final String SUBJECT = "system:serviceaccount:shop:payments";

	private static final String FILE = "principals: {payments: {jwt: [\"" + SUBJECT + "\"], read: [\"pay:\"]}}";

	private final TestAccess access = TestAccess.of(FILE);

	private final String token = this.access.jwt(SUBJECT);

	@Test
	void aSubjectHasTheRightsOfItsPrincipal() throws Exception {
		assertThat(this.access.gate.enter(sent(this.token), Right.DATA)).as("is checked first").isNull();
		Caller first = check(this.token, Right.DATA);
		first.reading(Key.of("pay:1"));
		assertThat(first.principal().name()).isEqualTo("payments");
		Caller second = this.access.gate.enter(sent(this.token), Right.DATA);
		assertThat(second).as("is known").isNotNull();
		second.served();
		assertThat(this.access.counted("jwt", "served")).isOne();
		assertThat(catchThrowable(() -> this.access.gate.enter(sent(this.token), Right.ADMIN)))
			.isInstanceOf(DeniedException.class)
			.hasMessage("`payments` may not administer this node");
		assertThat(this.access.counted("jwt", "forbidden")).isOne();
	}

	@Test
	void aSubjectThatIsNotListedIsUnknown() {
		assertThat(why(this.access.jwt("system:serviceaccount:shop:other"))).isEqualTo(Why.INVALID_CREDENTIALS);
		assertThat(why(this.access.jwt(SUBJECT.toUpperCase(Locale.ROOT)))).isEqualTo(Why.INVALID_CREDENTIALS);
		assertThat(why(this.access.jwt("payments"))).as("the name of a principal").isEqualTo(Why.INVALID_CREDENTIALS);
		assertThat(this.access.counted("jwt", "unauthenticated")).isEqualTo(3);
	}

	@Test
	void aSubjectThatIsTakenAwayIsVoidAtItsNextRequest() throws Exception {
		ScanRange range = ScanRange.ascending(Key.of("pay:"), Key.of("pay;"));
		Caller running = check(this.token, Right.DATA);
		assertThat(running.mayStillRead(range)).isTrue();
		this.access.become("principals: {payments: {jwt: [other], read: [\"pay:\"]}}");
		assertThat(running.mayStillRead(range)).isFalse();
		assertThat(catchThrowable(() -> this.access.gate.enter(sent(this.token), Right.DATA)))
			.isInstanceOf(DeniedException.class);
	}

	@Test
	void aRangeUnderWayEndsWithItsToken() throws Exception {
		ScanRange range = ScanRange.ascending(Key.of("pay:"), Key.of("pay;"));
		Caller running = check(this.token, Right.DATA);
		this.access.now = this.access.now.plus(Duration.ofSeconds(359));
		assertThat(running.mayStillRead(range)).isTrue();
		this.access.now = this.access.now.plusSeconds(1);
		assertThat(running.mayStillRead(range)).isFalse();
		assertThat(why(this.token)).isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void aTokenThatEndsWhileTheGateLooksAtItIsRefused() throws Exception {
		check(this.token, Right.DATA);
		Iterator<Instant> times = List.of(this.access.now.plusSeconds(359), this.access.now.plusSeconds(360))
			.iterator();
		Gate late = this.access.gateBy(() -> times.next().toEpochMilli());
		Throwable denied = catchThrowable(() -> late.check(sent(this.token), Right.DATA).join());
		assertThat(denied).isNotNull().cause().isInstanceOf(DeniedException.class);
		assertThat(times.hasNext()).isFalse();
	}

	@Test
	void tokensOfAnAddressWithManyFailuresAreNotChecked() throws Exception {
		check(this.token, Right.DATA);
		String stranger = this.access.jwt("system:serviceaccount:shop:other") + "x";
		for (int i = 0; i < Gate.MAX_FAILURES; i++) {
			assertThat(why(stranger)).isEqualTo(Why.INVALID_CREDENTIALS);
		}
		this.access.pass();
		for (int i = 0; i < Gate.MAX_FAILURES; i++) {
			assertThat(why(stranger)).isEqualTo(Why.INVALID_CREDENTIALS);
		}
		for (String unchecked : List.of(stranger, "ey.b.c", "ey.e30.c", "ey." + payload("[[[[") + ".c",
				"ey." + payload("{\"sub\":7}") + ".c", "ey." + payload("[".repeat(2000)) + ".c")) {
			Throwable refused = catchThrowable(() -> this.access.gate.enter(sent(unchecked), Right.DATA));
			assertThat(refused).isInstanceOf(DeniedException.class);
			assertThat(((DeniedException) refused).why()).isEqualTo(Why.FAILURES);
		}
		assertThat(this.access.counted("jwt", "limited")).isEqualTo(6);
		assertThat(this.access.gate.enter(sent(this.token), Right.DATA)).as("one that is known").isNotNull();
	}

	@Test
	void newTokensOfAListedSubjectAreCheckedWhateverItsAddressSends() throws Exception {
		String stranger = this.access.jwt("system:serviceaccount:shop:other");
		for (int i = 0; i < 3 * Gate.MAX_FAILURES; i++) {
			assertThat(why(this.token + "x")).as("a forged one").isIn(Why.INVALID_CREDENTIALS, Why.FAILURES);
			assertThat(why(stranger)).isIn(Why.INVALID_CREDENTIALS, Why.FAILURES);
		}
		this.access.now = this.access.now.plusSeconds(1);
		check(this.access.jwt(SUBJECT), Right.DATA).reading(Key.of("pay:1"));
	}

	private static String payload(String json) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
	}

	@Test
	void otherWrongCredentialsOfAnAddressLeaveItsTokensChecked() throws Exception {
		for (int i = 0; i < 2 * Gate.MAX_FAILURES; i++) {
			assertThat(catchThrowable(() -> this.access.gate
				.enter(new Credentials(List.of("Bearer wrong"), List.of(), "192.0.2.1"), Right.DATA)))
				.isInstanceOf(DeniedException.class);
		}
		assertThat(check(this.token, Right.DATA).principal().name()).isEqualTo("payments");
	}

	@Test
	void aTokenTooManyFieldsAndATooLongOneAreRefused() {
		assertThatExceptionOfType(DeniedException.class).isThrownBy(() -> this.access.gate.enter(
				new Credentials(List.of("Bearer " + this.token, "Bearer " + this.token), List.of(), null), Right.DATA));
		assertThat(why("ey" + "a".repeat(5000) + ".b.c")).isEqualTo(Why.INVALID_CREDENTIALS);
	}

	@Test
	void aPathWithoutARightNeedsNoCheck() {
		assertThat(this.access.gate.enter(sent("ey.b.c"), Right.NONE)).isNotNull();
		assertThat(TestAccess.open().gate.enter(sent(this.token), Right.ADMIN)).isNotNull();
	}

	private Why why(String jwt) {
		Throwable denied = catchThrowable(() -> passed(jwt, Right.DATA).join());
		assertThat(denied).isNotNull();
		Throwable cause = (denied instanceof CompletionException) ? denied.getCause() : denied;
		assertThat(cause).isInstanceOf(DeniedException.class);
		return ((DeniedException) cause).why();
	}

	private Caller check(String jwt, Right right) throws Exception {
		return passed(jwt, right).get(1, TimeUnit.MINUTES);
	}

	private CompletableFuture<Caller> passed(String jwt, Right right) {
		Caller known = this.access.gate.enter(sent(jwt), right);
		return (known != null) ? CompletableFuture.completedFuture(known) : this.access.gate.check(sent(jwt), right);
	}

	private static Credentials sent(String jwt) {
		return new Credentials(List.of("Bearer " + jwt), List.of(), "192.0.2.1");
	}

}
