package io.quorate.security.access;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AccessReaderTests {

	private static final Token ONE = Token.generate("payments");

	private static final Token TWO = Token.generate("payments");

	private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

	@Test
	void theWholeFormIsUnderstood() {
		Access access = read("""
				principals:
				  payments:
				    tokens: [{sha256: "%s", until: 2027-06-01}, {sha256: %s}]
				    certificates: ["dns:payments.shop.svc", "uri:spiffe://prod/payments"]
				    read: ["pay:", "shared:"]
				    write: ["pay:"]
				    limits: {requests-per-second: 5000, share: 0.3}
				  prometheus: {tokens: [{sha256: %s}], metrics: true}
				  ops: {read: all, write: [], metrics: true, admin: true}
				""".formatted(ONE.sha256(), TWO.sha256().toUpperCase(Locale.ROOT),
				Token.generate("prometheus").sha256()));
		Principal payments = principal(access, ONE, NOW);
		assertThat(payments.name()).isEqualTo("payments");
		assertThat(payments.mayRead(Key.of("shared:1"))).isTrue();
		assertThat(payments.mayWrite(Key.of("shared:1"))).isFalse();
		assertThat(payments.limits()).isEqualTo(new Principal.Limits(5000, 0.3));
		assertThat(principal(access, TWO, NOW)).isSameAs(payments);
		assertThat(access.byCertificate(List.of("dns:other", "uri:spiffe://prod/payments"))).isSameAs(payments);
		assertThat(access.byCertificate(List.of("dns:PAYMENTS.shop.svc"))).as("exactly").isNull();
		assertThat(access.anonymous()).isNull();
		assertThat(access.firstEnd(NOW)).contains(Instant.parse("2027-06-02T00:00:00Z"));
		Principal ops = access.entries().getFirst().principal();
		assertThat(ops.mayRead(Key.of("any"))).isTrue();
		assertThat(ops.mayWrite(Key.of("any"))).isFalse();
		assertThat(ops.has(Right.ADMIN)).isTrue();
		assertThat(ops.limits().share()).isEqualTo(0.5);
	}

	@Test
	void aTokenIsValidUntilTheEndOfItsLastDay() {
		Access access = read(
				"principals: {payments: {tokens: [{sha256: %s, until: 2026-11-23}]}}".formatted(ONE.sha256()));
		assertThat(access.byToken("payments", ONE.digest(), Instant.parse("2026-11-23T23:59:59Z"))).isNotNull();
		assertThat(access.byToken("payments", ONE.digest(), Instant.parse("2026-11-24T00:00:00Z"))).isNull();
	}

	@Test
	void aTokenIsThatOfThePrincipalInItsName() {
		Access access = read(
				"principals: {payments: {tokens: [{sha256: %s}]}, other: {read: all}}".formatted(ONE.sha256()));
		assertThat(access.byToken("payments", ONE.digest(), NOW)).isNotNull();
		assertThat(access.byToken("payments", TWO.digest(), NOW)).isNull();
		assertThat(access.byToken("other", ONE.digest(), NOW)).isNull();
		assertThat(access.byToken("nobody", ONE.digest(), NOW)).isNull();
	}

	@Test
	void anonymousHasAQuarterUnlessTheFileSaysOtherwise() {
		Principal anonymous = read("principals: {anonymous: {read: all, write: all}}").anonymous();
		assertThat(anonymous).isNotNull();
		assertThat(anonymous.limits().share()).isEqualTo(0.25);
		assertThat(anonymous.has(Right.METRICS)).isFalse();
	}

	/*
	 * In a list the word is a prefix like any other: it must not become a right to all.
	 */
	@Test
	void theWordAllInAListIsAPrefix() {
		Access access = read("principals: {anonymous: {read: [\"all\"]}}");
		Principal anonymous = access.anonymous();
		assertThat(anonymous).isNotNull();
		assertThat(anonymous.mayRead(Key.of("all:1"))).isTrue();
		assertThat(anonymous.mayRead(Key.of("other"))).isFalse();
	}

	@Test
	void aPrefixMayHaveACommaAndAColon() {
		Principal anonymous = read("principals: {anonymous: {read: [\"a,b:\"]}}").anonymous();
		assertThat(anonymous).isNotNull();
		assertThat(anonymous.mayRead(Key.of("a,b:1"))).isTrue();
		assertThat(anonymous.mayRead(Key.of("a"))).isFalse();
		assertThat(anonymous.mayRead(Key.of("b:1"))).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "principals: {x: {raed: all}} | principals.x.raed",
			"principals: {x: {tokens: [{bcrypt: abc}]}} | principals.x.tokens[0].bcrypt",
			"principals: {x: {tokens: [{sha256: abc}]}} | principals.x.tokens[0]: sha256 has 64",
			"principals: {x: {tokens: [{until: 2027-01-01}]}} | principals.x.tokens[0]: sha256 has 64",
			"principals: {x: {metrics: yes, raed: all}} | line 1, column",
			"principals: {x: {read: [[a]]}} | principals.x.read: it is the word all, or a list",
			"principals: {x: {certificates: [[a]]}} | principals.x.certificates cannot be understood, line 1, column 33",
			"principals: {x: {tokens: {sha256: a}}} | principals.x.tokens cannot be understood, line 1, column 26",
			"principals: {x: {limits: {share: much}}} | principals.x.limits.share cannot be understood, line 1, column 34",
			"principals: {x: {limits: {requests-per-second: ''}}} | principals.x.limits.requests-per-second cannot",
			"principals: {x: &a {read: all}, y: *a} | aliases and tags cannot be used, line 1, column 17",
			"principals: {x: {read: [&a 'p:']}, y: {read: [*a]}} | aliases and tags cannot be used, line 1",
			"principals: {x: {read: !!null all}} | aliases and tags cannot be used, line 1, column 24",
			"principals: {x: {read: ! all}} | aliases and tags cannot be used, line 1, column 24",
			"principals: {x: {read: ! ['a:']}} | aliases and tags cannot be used, line 1, column 24",
			"principals: {x: {! read: all}} | aliases and tags cannot be used, line 1, column 18",
			"principals: {x: !!map {read: all}} | aliases and tags cannot be used, line 1, column 17",
			"principals: {x: {[a]: b}} | it is no YAML: line 1, column 18",
			"principals: {x: {<<: {admin: true}}} | principals.x.<<", "[] | it cannot be understood, line 1",
			"principals: {x: {tokens: ['']}} | principals.x.tokens[0] cannot be understood",
			"principals: {x: {read: pay}} | principals.x.read: it is the word all, or a list",
			"principals: {x: {read: 'pay,shared'}} | principals.x.read: it is the word all, or a list",
			"principals: {x: {write: ['']}} | principals.x.write: a prefix is empty",
			"principals: {Payments: {read: all}} | principals.Payments: a principal is named by 1 to 32",
			"principals: {a_b: {read: all}} | does not begin with -, line 1, column 19",
			"principals: {x: {read: ['a:', \"\\ud800\"]}} | half of a character (a surrogate) cannot be used, line 1, column 31",
			"principals: {x: {jwt: [\"\\udfff\"]}} | half of a character (a surrogate) cannot be used, line 1, column 24",
			"principals: {x: {\"\\ud800\": true}} | half of a character (a surrogate) cannot be used, line 1, column 18",
			"principals: {x: {metrics: perhaps}} | principals.x.metrics",
			"principals: {x: {limits: {share: 0x1p-1}}} | principals.x.limits.share cannot be understood, line 1, column 34",
			"principals: {x: {limits: {share: 0.5d}}} | principals.x.limits.share cannot be understood, line 1, column 34",
			"principals: {x: {limits: {share: 0}}} | principals.x.limits: share is above 0",
			"principals: {x: {limits: {share: 1.5}}} | principals.x.limits: share is above 0",
			"principals: {x: {limits: {requests-per-second: 0}}} | requests-per-second is at least 1",
			"principals: {anonymous: {admin: true}} | without credentials must not have the right admin",
			"principals: {anonymous: {certificates: ['dns:x']}} | it stands for requests without credentials",
			"principals: {x: {certificates: ['CN=x']}} | a name of a certificate begins with dns: or uri:",
			"principals: {x: {certificates: ['dns:x']}, y: {certificates: ['dns:x']}} | stands at principals.x.certificates[0], too",
			"principals: {x: {read: all}, x: {read: all}} | it is no YAML: line 1",
			"principals: {svc-1: {read: ['a:']}, svc1: {read: all}} | principals.svc1: the name differs from that of svc-1 by dashes only",
			"principals: {svc1: {admin: true}, svc-1: {read: ['a:']}} | principals.svc-1: the name differs",
			"principals: {x: {certificates: ['dns:Payments.shop']}} | compared in small letters",
			"principals: {} | it names no principals", "principals: | it names no principals",
			"'principals: {' | it is no YAML: line 1, column 14", "'principals: [' | it is no YAML: line 1, column 14",
			"other: 1 | other", "'' | it has 0 YAML documents", "~ | it has 0 YAML documents" })
	void aMistakeIsRefusedWithItsPlace(@Nullable String file, String said) {
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read((file != null) ? file : ""))
			.withMessageContaining(said);
	}

	@Test
	void aHashOfDigitsAloneIsNoNumber() {
		String digits = "0123456789".repeat(6) + "0123";
		Access access = read("principals: {x: {tokens: [{sha256: %s}], read:}, y:}".formatted(digits));
		assertThat(access.byToken("x", HexFormat.of().parseHex(digits), NOW)).isNotNull();
		assertThat(access.entries()).hasSize(2);
	}

	@Test
	void theLineOfAMistakeIsNamed() {
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read("""
				principals:
				  a: {read: all}
				  b:
				    tokens:
				    - sha256: %s
				    - sha255: %s
				""".formatted(ONE.sha256(), TWO.sha256())))
			.withMessage("principals.b.tokens[1].sha255 cannot be understood, line 6, column 15");
	}

	/* The next field is that of the principal, not of its limits. */
	@Test
	void aFieldWithoutAValueIsAsIfItWereAbsent() {
		Principal anonymous = read("""
				principals:
				  anonymous:
				    limits:
				    certificates:
				    read: ~
				    metrics: True
				    write: ['a:', ~, null]
				""").anonymous();
		assertThat(anonymous).isNotNull();
		assertThat(anonymous.mayRead(Key.of("a:1"))).isFalse();
		assertThat(anonymous.mayWrite(Key.of("a:1"))).isTrue();
		assertThat(anonymous.mayWrite(Key.of("null"))).as("a text like any other").isTrue();
		assertThat(anonymous.has(Right.METRICS)).isTrue();
		assertThat(anonymous.limits()).isEqualTo(new Principal.Limits(null, 0.25));
	}

	@Test
	void oneDocumentSaysSomething() {
		String one = "---\nprincipals: {x: {read: all}}\n";
		assertThat(read("# nothing\n---\n" + one + "...\n---\n~\n").entries()).hasSize(1);
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(one + one))
			.withMessage("it has 2 YAML documents that say something, not 1");
	}

	@Test
	void theLargestFileIsRead() {
		StringBuilder file = new StringBuilder("principals:\n");
		String prefixes = IntStream.range(0, AccessReader.MAX_PREFIXES)
			.mapToObj((number) -> "\"k%d:\"".formatted(number))
			.collect(Collectors.joining(","));
		for (int i = 0; i < AccessReader.MAX_PRINCIPALS; i++) {
			file.append("  p%d: {read: [%s], write: [%s]}\n".formatted(i, prefixes, prefixes));
		}
		assertThat(read(file.toString()).entries()).hasSize(AccessReader.MAX_PRINCIPALS)
			.allMatch((entry) -> entry.principal().mayWrite(Key.of("k31:x")));
	}

	@Test
	void aPrincipalStaysWhileTheFileSaysTheSameOfIt() {
		Access before = read("principals: {a: {read: [\"x:\"], limits: {share: 0.2}}, b: {read: [\"x:\"]}}");
		Access later = AccessReader.read(
				"principals: {a: {read: [\"x:\"], limits: {share: 0.2}}, b: {read: [\"y:\"]}}".getBytes(UTF_8), before);
		assertThat(principal(later, "a")).isSameAs(principal(before, "a"));
		assertThat(principal(later, "b").mayRead(Key.of("y:1"))).isTrue();
		assertThat(principal(later, "b").mayRead(Key.of("x:1"))).isFalse();
		assertThat(before.changesTo(later)).isEqualTo(new Access.Changes(Set.of(), Set.of(), Set.of("b")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			read: all     | read: ["x:"]
			read: all     |
			write: all    |
			metrics: true | metrics: false
			admin: true   |
			limits: {share: 0.2} | limits: {share: 0.3}
			limits: {requests-per-second: 1} |
			""")
	void aPrincipalOfWhichTheFileSaysSomethingElseIsAnother(String before, @Nullable String after) {
		Access first = read("principals: {a: {%s}}".formatted(before));
		String other = "principals: {a: {%s}}".formatted((after != null) ? after : "");
		Principal later = principal(AccessReader.read(other.getBytes(UTF_8), first), "a");
		assertThat(later).isNotSameAs(principal(first, "a"))
			.usingRecursiveComparison()
			.isEqualTo(principal(read(other), "a"));
	}

	@Test
	void aFileAfterAnOpenNodeGrantsWhatItSays() {
		Access access = AccessReader.read("principals: {anonymous: {}}".getBytes(UTF_8), Access.OPEN);
		Principal anonymous = principal(access, Principal.ANONYMOUS);
		assertThat(anonymous.has(Right.ADMIN)).isFalse();
		assertThat(anonymous.mayRead(Key.of("any"))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "jwt: [one]", "certificates: [\"dns:one\"]", "tokens: [{sha256: \"%s\"}]" })
	void credentialsOfAPrincipalThatStaysOccurOnce(String credential) {
		String stays = "b: {%s, read: all}".formatted(credential).formatted(ONE.sha256());
		Access before = read("principals: {" + stays + "}");
		String twice = "principals: {a: {%s}, %s}".formatted(credential.formatted(ONE.sha256()), stays);
		assertThatExceptionOfType(AccessFileException.class)
			.isThrownBy(() -> AccessReader.read(twice.getBytes(UTF_8), before))
			.withMessageContaining("stands at principals.a.");
	}

	private static Principal principal(Access access, String name) {
		return Objects.requireNonNull(access.named(name)).principal();
	}

	@Test
	void aTokenThatWasPastedByMistakeIsNotQuoted() {
		String file = "principals:\n  x: {tokens: [{sha256: %s\n".formatted(ONE.text());
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(file))
			.withMessageContaining("line ")
			.withMessageNotContaining(ONE.text());
		String asAName = "principals:\n  x: {tokens: [{%s}]}\n".formatted(ONE.text());
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(asAName))
			.withMessageStartingWith("principals.x.tokens[0].? cannot be understood, line 2")
			.withMessageNotContaining(ONE.text());
	}

	@Test
	void aTokenThatWasPastedInThePlaceOfANameIsNotQuoted() {
		String secret = ONE.text().substring(ONE.text().lastIndexOf("payments_") + "payments_".length());
		for (String pasted : List.of(ONE.text(), secret.replace('_', 'x'), ONE.sha256())) {
			for (String file : List.of("principals: {%s: {admin: true}}", "principals: {x: {%s: true}}",
					"principals: {payments: {admin: true}, %s: {admin: true}}")) {
				assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(file.formatted(pasted)))
					.withMessageContaining("?")
					.withMessageContaining("line 1")
					.withMessageNotContaining(pasted);
			}
		}
	}

	@Test
	void aCertificateOfTwoPrincipalsIsOfNone() {
		Access access = read("principals: {x: {certificates: ['dns:x']}, y: {certificates: ['dns:y']}}");
		assertThat(access.byCertificate(List.of("dns:x"))).isNotNull();
		assertThat(access.byCertificate(List.of("dns:x", "dns:y"))).isNull();
	}

	@Test
	void aHashThatOccursTwiceIsRefused() {
		String twice = "principals: {x: {tokens: [{sha256: %1$s}]}, y: {tokens: [{sha256: %1$s}]}}"
			.formatted(ONE.sha256());
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(twice))
			.withMessage("principals.y.tokens[0]: the hash stands at principals.x.tokens[0], too");
	}

	@ParameterizedTest
	@ValueSource(strings = { "soon", "2027-02-30", "20270601", "+999999999-12-31", "+12027-06-01", "''" })
	void aDayThatIsNoneIsRefused(String day) {
		String file = "principals: {x: {tokens: [{sha256: %s, until: %s}]}}".formatted(ONE.sha256(), day);
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(file))
			.withMessage("principals.x.tokens[0]: until is a day, such as 2027-06-01");
	}

	@Test
	void tooMuchIsRefused() {
		StringBuilder principals = new StringBuilder("principals:\n");
		for (int i = 0; i <= AccessReader.MAX_PRINCIPALS; i++) {
			principals.append("  p%d: {read: all}\n".formatted(i));
		}
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(() -> read(principals.toString()))
			.withMessageContaining("1001 principals, at most 1000");
		assertThatExceptionOfType(AccessFileException.class)
			.isThrownBy(() -> read("principals: {x: {read: [%s]}}".formatted("p,".repeat(33))))
			.withMessageContaining("33 elements, at most 32");
		assertThatExceptionOfType(AccessFileException.class)
			.isThrownBy(() -> AccessReader.read(new byte[1024 * 1024 + 1], Access.NONE))
			.withMessageContaining("more than 1048576 bytes");
	}

	private static Principal principal(Access access, Token token, Instant now) {
		Principal found = access.byToken(token.principal(), token.digest(), now);
		assertThat(found).isNotNull();
		return found;
	}

	private static Access read(String file) {
		return AccessReader.read(file.getBytes(UTF_8), Access.NONE);
	}

}
