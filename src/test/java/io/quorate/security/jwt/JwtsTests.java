package io.quorate.security.jwt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.nimbusds.jose.jwk.RSAKey;
import io.quorate.security.jwt.RefusedJwtException.Reason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

class JwtsTests {

	private static final String ADDRESS = "192.0.2.1";

	private final TestIssuer issuer = new TestIssuer();

	private final AtomicLong nanos = new AtomicLong();

	private volatile Instant now = Instant.parse("2026-11-24T12:00:00Z");

	private final WatchedKeys keys = new WatchedKeys(this.issuer, Duration.ofSeconds(30), this.nanos::get).required();

	private final Jwts jwts = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), this.keys,
			() -> this.now.toEpochMilli(), Jwts.DEADLINE);

	@AfterEach
	void close() {
		this.jwts.close();
	}

	@Test
	void aTokenIsKnownOnceItIsChecked() {
		String token = TestIssuer.token("payments", this.now);
		assertThat(this.jwts.known(token, this.now)).isNull();
		VerifiedJwt verified = verify(token);
		assertThat(this.jwts.known(token, this.now)).isSameAs(verified);
		assertThat(this.jwts.known(token + " ", this.now)).isNull();
	}

	@Test
	void aKnownTokenEndsWithItsTime() {
		String token = TestIssuer.token("payments", this.now);
		VerifiedJwt verified = verify(token);
		Instant last = this.now.plusSeconds(300 + 59);
		assertThat(this.jwts.known(token, last)).isNotNull();
		assertThat(this.jwts.isValid(verified, last)).isTrue();
		assertThat(this.jwts.known(token, last.plusSeconds(1))).isNull();
		assertThat(this.jwts.isValid(verified, last.plusSeconds(1))).isFalse();
		this.now = last.plusSeconds(1);
		assertThat(why(token)).isEqualTo(Reason.EXPIRED);
	}

	/* The work that depends on the result runs before any other work of its thread. */
	@Test
	void aClientThatHasItsResultFindsTheCheckOver() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		String token = TestIssuer.token("payments", this.now);
		try (Jwts slow = hangingUntil(end, Jwts.DEADLINE)) {
			CompletableFuture<VerifiedJwt> first = slow.verify(token, ADDRESS);
			List<CompletableFuture<VerifiedJwt>> next = new ArrayList<>();
			CompletableFuture<Void> asked = first.thenAccept((_) -> next.add(slow.verify(token, ADDRESS)));
			end.countDown();
			asked.get(1, TimeUnit.MINUTES);
			assertThat(next.getFirst()).isNotSameAs(first);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void aRefusedTokenIsNotKept() {
		String token = TestIssuer.token(TestIssuer.RSA, this.now, (claims) -> claims.audience("other"));
		assertThat(why(token)).isEqualTo(Reason.AUDIENCE);
		assertThat(this.jwts.known(token, this.now)).isNull();
	}

	@Test
	void aNewKeyIsReadForItsFirstToken() {
		RSAKey later = TestIssuer.rsa("later");
		String token = TestIssuer.token(later, this.now, (_) -> {
		});
		this.issuer.publish(TestIssuer.RSA, later);
		assertThat(verify(token).subject()).isEqualTo("payments");
		assertThat(this.issuer.readings).hasValue(2);
	}

	@Test
	void unknownKeysCauseOneReadingInHalfAMinute() {
		for (int i = 0; i < 20; i++) {
			int number = i;
			assertThat(why(TestIssuer.token(TestIssuer.EC, this.now, (claims) -> claims.jwtID("" + number)), "ec",
					"unknown"))
				.isEqualTo(Reason.UNKNOWN_KEY);
		}
		assertThat(this.issuer.readings).as("at the start, and one for all").hasValue(2);
		this.nanos.addAndGet(Duration.ofSeconds(30).toNanos());
		assertThat(why(TestIssuer.token("payments", this.now), "rsa", "unknown")).isEqualTo(Reason.UNKNOWN_KEY);
		assertThat(this.issuer.readings).hasValue(3);
	}

	/* Another key in the header: the signature is not looked at before the key. */
	private Reason why(String token, String name, String other) {
		String[] parts = token.split("\\.", -1);
		String header = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8)
			.replace("\"" + name + "\"", "\"" + other + "\"");
		return why(Base64.getUrlEncoder().withoutPadding().encodeToString(header.getBytes(StandardCharsets.UTF_8)) + "."
				+ parts[1] + "." + parts[2]);
	}

	@Test
	void aTokenWhoseKeyIsTakenAwayIsVoid() throws Exception {
		String token = TestIssuer.token("payments", this.now);
		VerifiedJwt verified = verify(token);
		RSAKey later = TestIssuer.rsa("later");
		read(TestIssuer.RSA, later);
		assertThat(this.jwts.known(token, this.now)).as("another key beside it").isSameAs(verified);
		read(later);
		assertThat(this.jwts.known(token, this.now)).isNull();
		assertThat(this.jwts.isValid(verified, this.now)).isFalse();
		assertThat(why(token)).isEqualTo(Reason.UNKNOWN_KEY);
		read(TestIssuer.rsa("rsa"));
		assertThat(this.jwts.isValid(verified, this.now)).as("another key of the same name").isFalse();
		assertThat(why(token)).isEqualTo(Reason.SIGNATURE);
	}

	private void read(RSAKey... published) throws Exception {
		this.issuer.publish(published);
		this.nanos.addAndGet(Duration.ofSeconds(30).toNanos());
		CompletableFuture<Void> another = this.keys.another();
		assertThat(another).isNotNull();
		another.get(1, TimeUnit.MINUTES);
	}

	@Test
	void keysThatCannotBeReadChangeNothing() throws Exception {
		this.issuer.isBroken = true;
		read(TestIssuer.rsa("later"));
		assertThat(this.jwts.areKeysValid()).isFalse();
		assertThat(verify(TestIssuer.token("payments", this.now)).subject()).isEqualTo("payments");
		this.issuer.isBroken = false;
		read(TestIssuer.RSA);
		assertThat(this.jwts.areKeysValid()).isTrue();
		assertThat(this.jwts.keys()).isOne();
	}

	@Test
	void anEmptySourceIsNoKeySet() {
		WatchedKeys empty = new WatchedKeys(source(() -> new byte[0]), Duration.ofSeconds(30), this.nanos::get);
		assertThatExceptionOfType(JwtKeysException.class).isThrownBy(empty::required)
			.withMessageContaining("cannot be used");
		assertThat(empty.areValid()).isFalse();
	}

	/* A thread that cannot be started, for instance: the watch goes on. */
	@Test
	void anErrorEndsNoWatchAndLeavesNoTokenWaiting() throws Exception {
		AtomicInteger readings = new AtomicInteger();
		WatchedKeys failing = new WatchedKeys(source(() -> {
			if (readings.incrementAndGet() < 4) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return TestIssuer.keys().getBytes(StandardCharsets.UTF_8);
		}), Duration.ZERO, this.nanos::get).watched(Duration.ofMillis(10));
		try {
			CompletableFuture<Void> another = failing.another();
			assertThat(another).isNotNull();
			another.get(1, TimeUnit.MINUTES);
			await().until(failing::areValid);
			assertThat(failing.keys().size()).isPositive();
		}
		finally {
			failing.close();
		}
	}

	private static KeySource source(Callable<byte[]> content) {
		return new KeySource() {

			@Override
			public byte[] content() throws IOException, InterruptedException {
				try {
					return content.call();
				}
				catch (IOException | InterruptedException | RuntimeException thrown) {
					throw thrown;
				}
				catch (Exception other) {
					throw new IOException(other);
				}
			}

			@Override
			public String name() {
				return "source";
			}

		};
	}

	@Test
	void onlySoManyTokensWaitForTheirCheck() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		try (Jwts slow = hangingUntil(end, Jwts.DEADLINE)) {
			List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
			for (int i = 0; i < Jwts.MAX_PENDING; i++) {
				results.add(slow.verify(TestIssuer.forged(i), address(i)));
			}
			String one = TestIssuer.forged(Jwts.MAX_PENDING);
			assertThat(failure(slow.verify(one, "another"))).isInstanceOf(RejectedExecutionException.class);
			assertThat(results).noneMatch(CompletableFuture::isDone);
			end.countDown();
			assertThat(results)
				.allSatisfy((result) -> assertThat(failure(result)).isInstanceOf(RefusedJwtException.class));
			assertThat(failure(slow.verify(one, "another"))).isInstanceOf(RefusedJwtException.class);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void theTokensOfOneAddressLeaveRoomForThoseOfOthers() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		try (Jwts slow = hangingUntil(end, Jwts.DEADLINE)) {
			List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
			for (int i = 0; i < Jwts.MAX_PENDING_OF_ADDRESS; i++) {
				results.add(slow.verify(TestIssuer.forged(i), ADDRESS));
			}
			String one = TestIssuer.forged(Jwts.MAX_PENDING_OF_ADDRESS);
			assertThat(failure(slow.verify(one, ADDRESS))).isInstanceOf(RejectedExecutionException.class);
			CompletableFuture<VerifiedJwt> other = slow.verify(one, "192.0.2.2");
			assertThat(slow.verify(one, ADDRESS)).as("shares the check of another address").isSameAs(other);
			end.countDown();
			results.add(other);
			assertThat(results)
				.allSatisfy((result) -> assertThat(failure(result)).isInstanceOf(RefusedJwtException.class));
			for (int i = 0; i < Jwts.MAX_PENDING_OF_ADDRESS; i++) {
				assertThat(failure(slow.verify(TestIssuer.forged(i), ADDRESS))).as("places are given back")
					.isInstanceOf(RefusedJwtException.class);
			}
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void aCheckThatHangsEndsAtItsDeadline() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		String token = TestIssuer.token("payments", this.now);
		try (Jwts hanging = hangingUntil(end, Duration.ofMillis(50))) {
			assertThat(failure(hanging.verify(token, ADDRESS))).isInstanceOf(TimeoutException.class);
			end.countDown();
			await().untilAsserted(() -> assertThat(hanging.known(token, this.now)).isNotNull());
		}
		finally {
			end.countDown();
		}
	}

	private Jwts hangingUntil(CountDownLatch end, Duration deadline) {
		return new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), this.keys, () -> {
			awaitUninterruptibly(end);
			return this.now.toEpochMilli();
		}, deadline);
	}

	private static String address(int number) {
		return "192.0.2." + number / Jwts.MAX_PENDING_OF_ADDRESS;
	}

	@Test
	void tokensThatWaitAreRefusedWhenTheNodeStops() {
		CountDownLatch end = new CountDownLatch(1);
		Jwts stopping = hangingUntil(end, Jwts.DEADLINE);
		List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			results.add(stopping.verify(TestIssuer.forged(i), ADDRESS));
		}
		stopping.close();
		end.countDown();
		assertThat(failure(results.getLast())).isInstanceOf(RejectedExecutionException.class);
		assertThat(results).allSatisfy((result) -> assertThat(failure(result)).isNotNull());
	}

	private static void awaitUninterruptibly(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException closed) {
			Thread.currentThread().interrupt();
		}
	}

	/* The server of the keys hangs at a reading which tokens with unknown keys cause. */
	@Test
	void aReadingThatHangsHoldsUpNoTokenWhoseKeyIsKnown() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger readings = new AtomicInteger();
		KeySource hanging = source(() -> {
			if (readings.getAndIncrement() > 0) {
				end.await();
			}
			return TestIssuer.keys().getBytes(StandardCharsets.UTF_8);
		});
		WatchedKeys known = new WatchedKeys(hanging, Duration.ofSeconds(30), this.nanos::get).required();
		try (Jwts waiting = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), known, () -> this.now.toEpochMilli(),
				Jwts.DEADLINE)) {
			List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
			for (int i = 0; i < Jwts.MAX_WAITING_FOR_KEYS; i++) {
				results.add(waiting.verify(unknownKey(i), address(i)));
			}
			await().until(() -> readings.get() == 2);
			assertThat(failure(waiting.verify(unknownKey(-1), "another")))
				.isInstanceOf(RejectedExecutionException.class);
			assertThat(waiting.verify(TestIssuer.token("payments", this.now), "another")
				.get(1, TimeUnit.MINUTES)
				.subject()).isEqualTo("payments");
			assertThat(results).noneMatch(CompletableFuture::isDone);
			end.countDown();
			assertThat(results)
				.allSatisfy((result) -> assertThat(failure(result)).isInstanceOf(RefusedJwtException.class));
		}
		finally {
			end.countDown();
		}
	}

	private static String unknownKey(int number) {
		String[] parts = TestIssuer.forged(number).split("\\.", -1);
		String header = Base64.getUrlEncoder()
			.withoutPadding()
			.encodeToString("{\"alg\":\"ES256\",\"kid\":\"unknown\"}".getBytes(StandardCharsets.UTF_8));
		return header + "." + parts[1] + "." + parts[2];
	}

	private static Throwable failure(CompletableFuture<VerifiedJwt> result) {
		Throwable thrown = catchThrowable(() -> result.get(1, TimeUnit.MINUTES));
		assertThat(thrown).isNotNull();
		return Objects.requireNonNull(thrown.getCause());
	}

	@Test
	void requestsWithTheSameTokenShareItsCheck() throws Exception {
		String token = TestIssuer.token("payments", this.now);
		Set<VerifiedJwt> seen = new HashSet<>();
		List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			VerifiedJwt known = this.jwts.known(token, this.now);
			results.add((known != null) ? CompletableFuture.completedFuture(known) : this.jwts.verify(token, ADDRESS));
		}
		for (CompletableFuture<VerifiedJwt> result : results) {
			seen.add(result.get(1, TimeUnit.MINUTES));
		}
		assertThat(seen).hasSizeLessThan(5);
	}

	@Test
	void keysMustBePublicAndNamed() {
		assertThatExceptionOfType(JwtKeysException.class).isThrownBy(() -> IssuerKeys.read(new byte[0]))
			.withMessageContaining("no JSON Web Key Set");
		refused("{\"keys\":[]}", "there are 0 keys");
		refused("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"c2VjcmV0\"}]}", "private or secret key");
		refused("{\"keys\":[" + TestIssuer.RSA.toJSONString() + "]}", "private or secret key");
		refused(TestIssuer.published(new RSAKey.Builder(TestIssuer.RSA).keyID(null).build()), "no name");
		refused(TestIssuer.published(TestIssuer.RSA, TestIssuer.rsa("rsa")), "the same name");
		refused("[".repeat(100_000), "no JSON Web Key Set");
		refused(" ".repeat(IssuerKeys.MAX_BYTES + 1), "more than");
	}

	private static void refused(String keys, String why) {
		assertThatExceptionOfType(JwtKeysException.class)
			.isThrownBy(() -> IssuerKeys.read(keys.getBytes(StandardCharsets.UTF_8)))
			.withMessageContaining(why);
	}

	private VerifiedJwt verify(String token) {
		try {
			return this.jwts.verify(token, ADDRESS).get(1, TimeUnit.MINUTES);
		}
		catch (Exception refused) {
			throw new AssertionError(refused);
		}
	}

	private Reason why(String token) {
		Throwable refused = failure(this.jwts.verify(token, ADDRESS));
		if (refused instanceof RefusedJwtException cause) {
			return cause.reason();
		}
		throw new AssertionError(refused);
	}

}
