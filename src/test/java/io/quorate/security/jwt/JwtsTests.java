package io.quorate.security.jwt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.nimbusds.jose.jwk.RSAKey;
import io.quorate.clock.TimeSource;
import io.quorate.security.jwt.RefusedJwtException.Reason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

class JwtsTests {

	private final TestIssuer issuer = new TestIssuer();

	private final AtomicLong nanos = new AtomicLong();

	private volatile Instant now = Instant.parse("2026-11-24T12:00:00Z");

	private final WatchedKeys keys = new WatchedKeys(this.issuer, Duration.ofSeconds(30), this.nanos::get).required();

	private final Jwts jwts = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), this.keys,
			() -> this.now.toEpochMilli());

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
		another.get(10, TimeUnit.SECONDS);
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
	void onlySoManyTokensWaitForTheirCheck() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		TimeSource clock = () -> {
			awaitUninterruptibly(end);
			return this.now.toEpochMilli();
		};
		try (Jwts slow = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), this.keys, clock)) {
			List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
			for (int i = 0; i < Jwts.MAX_PENDING; i++) {
				results.add(slow.verify(TestIssuer.forged(i)));
			}
			String one = TestIssuer.forged(Jwts.MAX_PENDING);
			assertThat(failure(slow.verify(one))).isInstanceOf(RejectedExecutionException.class);
			assertThat(results).noneMatch(CompletableFuture::isDone);
			end.countDown();
			assertThat(results)
				.allSatisfy((result) -> assertThat(failure(result)).isInstanceOf(RefusedJwtException.class));
			assertThat(failure(slow.verify(one))).isInstanceOf(RefusedJwtException.class);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void tokensThatWaitAreRefusedWhenTheNodeStops() {
		CountDownLatch end = new CountDownLatch(1);
		Jwts stopping = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), this.keys, () -> {
			awaitUninterruptibly(end);
			return this.now.toEpochMilli();
		});
		List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			results.add(stopping.verify(TestIssuer.forged(i)));
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
		KeySource hanging = new KeySource() {

			@Override
			public byte[] content() throws InterruptedException {
				if (readings.getAndIncrement() > 0) {
					end.await();
				}
				return TestIssuer.keys().getBytes(StandardCharsets.UTF_8);
			}

			@Override
			public String name() {
				return "hanging";
			}

		};
		WatchedKeys known = new WatchedKeys(hanging, Duration.ofSeconds(30), this.nanos::get).required();
		try (Jwts waiting = new Jwts(new JwtCheck(TestIssuer.ISSUER, "quorate"), known,
				() -> this.now.toEpochMilli())) {
			List<CompletableFuture<VerifiedJwt>> results = new ArrayList<>();
			for (int i = 0; i < Jwts.MAX_WAITING_FOR_KEYS; i++) {
				results.add(waiting.verify(unknownKey(i)));
			}
			await().until(() -> readings.get() == 2);
			assertThat(failure(waiting.verify(unknownKey(-1)))).isInstanceOf(RejectedExecutionException.class);
			assertThat(waiting.verify(TestIssuer.token("payments", this.now)).get(10, TimeUnit.SECONDS).subject())
				.isEqualTo("payments");
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
		Throwable thrown = catchThrowable(() -> result.get(10, TimeUnit.SECONDS));
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
			results.add((known != null) ? CompletableFuture.completedFuture(known) : this.jwts.verify(token));
		}
		for (CompletableFuture<VerifiedJwt> result : results) {
			seen.add(result.get(10, TimeUnit.SECONDS));
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
			return this.jwts.verify(token).get(10, TimeUnit.SECONDS);
		}
		catch (Exception refused) {
			throw new AssertionError(refused);
		}
	}

	private Reason why(String token) {
		Throwable refused = catchThrowable(() -> this.jwts.verify(token).get(10, TimeUnit.SECONDS));
		if (refused.getCause() instanceof RefusedJwtException cause) {
			return cause.reason();
		}
		throw new AssertionError(refused);
	}

}
