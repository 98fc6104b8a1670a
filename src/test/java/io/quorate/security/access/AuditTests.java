package io.quorate.security.access;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
class AuditTests {

	private static final Token TOKEN = Token.generate("ops");

	private static final Token OTHER = Token.generate("auditor");

	private final TestAccess access = TestAccess
		.of("principals: {ops: {tokens: [{sha256: %s}], admin: true, read: [\"o:\"]}, auditor: {tokens: [{sha256: %s}], admin: true}}"
			.formatted(TOKEN.sha256(), OTHER.sha256()));

	@Test
	void aCommandIsLoggedWithItsSenderAndOutcome(CapturedOutput output) {
		command("POST", "/actuator/recovery/rebuild").administered(409);
		assertThat(output).contains(
				"event=command principal=ops credential=token address=192.0.2.1 method=POST path=/actuator/recovery/rebuild status=409")
			.doesNotContain(TOKEN.text())
			.doesNotContain(TOKEN.sha256());
	}

	@Test
	void aLineCannotBeForged(CapturedOutput output) {
		command("PO ST", "/x status=200\nevent=command").administered(401);
		assertThat(output).contains("method=PO\\u0020ST path=/x\\u0020status=200\\u000aevent=command status=401");
	}

	@Test
	void theFirstDenialOfAKindInAMinuteIsLogged(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			deny();
		}
		assertThat(lines(output)).isOne();
		assertThat(output).contains("event=denied principal=ops credential=token address=192.0.2.1 reason=forbidden")
			.doesNotContain("repeated")
			.doesNotContain("secret");
		this.access.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		deny();
		assertThat(output).contains("reason=forbidden repeated=4");
	}

	@Test
	void aFloodIsDroppedAndCounted(CapturedOutput output) {
		for (int i = 0; i < 3 * Audit.MAX_LINES; i++) {
			String address = "192.0.2." + i;
			assertThatThrownBy(
					() -> this.access.gate.enter(new Credentials(List.of(), List.of(), address), Right.KNOWN))
				.isInstanceOf(DeniedException.class);
		}
		assertThat(lines(output)).isEqualTo(Audit.MAX_LINES);
		this.access.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		deny();
		assertThat(output).contains(" dropped=-:" + 2 * Audit.MAX_LINES);
	}

	@Test
	void noCommandIsLeftOutBesideAFloodOfItsPrincipal(CapturedOutput output) {
		for (int i = 0; i < 2 * Audit.MAX_LINES; i++) {
			command("GET", "/actuator/access").administered(200);
			command("HEAD", "/actuator/access").administered(200);
			command("POST", "/actuator/scrub/" + i).administered(202);
			command("DELETE", "/actuator/backup/" + i).administered(204);
		}
		for (int i = 0; i < 2 * Audit.MAX_LINES; i++) {
			assertThat(output).contains("method=POST path=/actuator/scrub/%d status=202".formatted(i))
				.contains("method=DELETE path=/actuator/backup/%d status=204".formatted(i));
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("path=/actuator/access")))
			.hasSize(Audit.MAX_LINES);
		assertThat(output).contains(" dropped=ops:2");
	}

	@Test
	void noPrincipalDrivesOutTheLinesOfAnother(CapturedOutput output) {
		for (int i = 0; i < 2 * Audit.MAX_LINES; i++) {
			command("GET", "/actuator/access").administered(200);
		}
		command(OTHER, "GET", "/actuator/cluster").administered(200);
		assertThat(output).contains("principal=auditor credential=token address=192.0.2.1 method=GET "
				+ "path=/actuator/cluster status=200 dropped=ops:" + Audit.MAX_LINES);
		command(OTHER, "GET", "/actuator/cluster").administered(200);
		assertThat(output.getAll().lines().filter((line) -> line.contains("dropped"))).hasSize(1);
	}

	@Test
	void strangersDriveOutNoLineOfACommand(CapturedOutput output) {
		for (int i = 0; i < 2 * Audit.MAX_LINES; i++) {
			String address = "192.0.2." + i;
			assertThatThrownBy(
					() -> this.access.gate.enter(new Credentials(List.of(), List.of(), address), Right.KNOWN))
				.isInstanceOf(DeniedException.class);
		}
		command("POST", "/actuator/backup").administered(0);
		assertThat(output).contains("method=POST path=/actuator/backup status=- dropped=-:" + Audit.MAX_LINES);
	}

	@Test
	void aDeniedCommandIsNamed(CapturedOutput output) {
		Token other = Token.generate("ops");
		for (int i = 0; i < 3; i++) {
			assertThatThrownBy(() -> command(other, "POST", "/actuator/recovery/declare-lost"))
				.isInstanceOf(DeniedException.class);
		}
		assertThat(lines(output)).isOne();
		assertThat(output).contains("event=denied principal=- credential=token address=192.0.2.1 "
				+ "reason=invalid-credentials method=POST path=/actuator/recovery/declare-lost");
	}

	private Caller command(String method, String path) {
		return command(TOKEN, method, path);
	}

	private Caller command(Token token, String method, String path) {
		return Objects.requireNonNull(this.access.gate.enter(
				new Credentials(List.of("Bearer " + token.text()), List.of(), "192.0.2.1", new Command(method, path)),
				Right.ADMIN));
	}

	private void deny() {
		assertThatThrownBy(() -> this.access.enter(TOKEN, Right.DATA).reading(Key.of("secret")))
			.isInstanceOf(DeniedException.class);
	}

	private static long lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("event=denied")).count();
	}

}
