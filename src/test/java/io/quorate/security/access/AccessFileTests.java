package io.quorate.security.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class AccessFileTests {

	private static final Token OLD = Token.generate("payments");

	private static final Token NEW = Token.generate("payments");

	private static final String BEFORE = "principals: {payments: {tokens: [{sha256: %s}], read: all}, ops: {admin: true}}"
		.formatted(OLD.sha256());

	private static final String AFTER = "principals: {payments: {tokens: [{sha256: %s}, {sha256: %s}], read: all}, new: {read: all}}"
		.formatted(OLD.sha256(), NEW.sha256());

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private HastyThread thread = new HastyThread();

	private Path path = Path.of("none");

	private AccessFile file;

	@BeforeEach
	void write(@TempDir Path directory) throws IOException {
		this.path = directory.resolve("access.yml");
		Files.writeString(this.path, BEFORE);
		this.file = open();
	}

	@AfterEach
	void close() {
		this.file.close();
	}

	/* At once: what is read of a file that is being written would be another mistake. */
	private void replace(String content) throws IOException {
		Path next = Files.writeString(this.path.resolveSibling("next"), content);
		Files.move(next, this.path, StandardCopyOption.ATOMIC_MOVE);
	}

	private AccessFile open() {
		return new AccessFile(this.path, this.thread, new Audit(System::nanoTime), TimeSource.SYSTEM, this.meters);
	}

	@Test
	void aChangeIsInUseSoonAndAudited(CapturedOutput output) throws IOException {
		replace(AFTER);
		await().until(() -> knows(NEW));
		assertThat(knows(OLD)).isTrue();
		await().untilAsserted(
				() -> assertThat(output).contains("event=access-changed added=new removed=ops changed=payments")
					.contains("1 principals were added, 1 removed, 1 changed"));
		assertThat(output).doesNotContain(NEW.sha256()).doesNotContain(OLD.sha256());
	}

	@Test
	void oneLookIsPendingUntilAChangeHasSettled() throws IOException {
		replace(AFTER);
		await().until(() -> knows(NEW));
		assertThat(this.thread.mostPending).isOne();
	}

	/* As Kubernetes replaces a secret: by another target of a symbolic link. */
	@Test
	void aFileBehindALinkMayBeReplaced(@TempDir Path other) throws IOException {
		Path first = Files.writeString(other.resolve("first"), BEFORE);
		Path second = Files.writeString(other.resolve("second"), AFTER);
		this.file.close();
		Files.delete(this.path);
		Files.createSymbolicLink(this.path, first);
		this.thread = new HastyThread();
		this.file = open();
		Path link = Files.createSymbolicLink(other.resolve("link"), second);
		Files.move(link, this.path, StandardCopyOption.ATOMIC_MOVE);
		await().until(() -> knows(NEW));
	}

	/* Half of a file may be valid, and without the end of a token for instance. */
	@Test
	void aContentCountsWhenTwoLooksHaveFoundIt() {
		AccessFile.Settling settling = new AccessFile.Settling();
		byte[] half = { 1 };
		byte[] whole = { 1, 2 };
		long settled = AccessFile.SETTLED.toNanos();
		assertThat(settling.isOver(half, 0)).isFalse();
		assertThat(settling.isOver(half.clone(), settled - 1)).as("too soon").isFalse();
		assertThat(settling.isOver(whole, settled)).as("another one").isFalse();
		assertThat(settling.isOver(whole.clone(), 2 * settled)).isTrue();
		settling.forget();
		assertThat(settling.isOver(whole, 3 * settled)).as("it was away in between").isFalse();
	}

	@Test
	void aBrokenFileChangesNothingAndIsSaidOnce(CapturedOutput output) throws IOException {
		replace("principals: {payments: {raed: all}}");
		await().until(() -> gauge("quorate.security.access.valid") == 0);
		assertThat(knows(OLD)).isTrue();
		// The file of the test before may say the same, of its own path.
		String said = "The access file %s cannot be used, the one before stays in use".formatted(this.path);
		await().untilAsserted(() -> assertThat(output).containsOnlyOnce(said));
		Files.delete(this.path);
		await().untilAsserted(() -> assertThat(output).contains("NoSuchFileException"));
		assertThat(knows(OLD)).isTrue();
		replace(AFTER);
		await().until(() -> gauge("quorate.security.access.valid") == 1);
		assertThat(knows(NEW)).isTrue();
	}

	@Test
	void theLastUseOfATokenOutlivesAChange() throws IOException {
		assertThat(knows(OLD)).isTrue();
		replace(AFTER);
		await().until(() -> this.file.access().entries().size() == 2
				&& this.file.access().entries().getFirst().principal().name().equals("new"));
		AccessOverview.Row payments = new AccessOverview(new Identities(this.file::access, null)).rows().getLast();
		assertThat(payments.credentials().tokens()).hasSize(2);
		assertThat(payments.credentials().tokens().getFirst().sha256()).isEqualTo(OLD.sha256().substring(0, 8));
		assertThat(payments.credentials().tokens().getFirst().lastUse()).isNotNull();
		assertThat(payments.credentials().tokens().getLast().lastUse()).isNull();
	}

	@Test
	void atTheStartItMustBeUsable(CapturedOutput output) throws IOException {
		replace("principals: {}");
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(this::open)
			.withMessageContaining("quorate.security.access: ")
			.withMessageContaining("it names no principals");
		Files.delete(this.path);
		assertThatExceptionOfType(AccessFileException.class).isThrownBy(this::open)
			.withMessageContaining("cannot be read");
		assertThat(output).contains("can be read by every user of this machine");
	}

	private boolean knows(Token token) {
		return this.file.access()
			.byToken("payments", token.digest(), Instant.ofEpochMilli(TimeSource.SYSTEM.millis())) != null;
	}

	private double gauge(String name) {
		return this.meters.get(name).gauge().value();
	}

	/** Waits for no delay as long as it is. */
	private static final class HastyThread extends ScheduledThreadPoolExecutor {

		private volatile int mostPending;

		private HastyThread() {
			super(1);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable look, long delay, TimeUnit unit) {
			ScheduledFuture<?> scheduled = super.schedule(look, 10, TimeUnit.MILLISECONDS);
			this.mostPending = Math.max(this.mostPending, getQueue().size());
			return scheduled;
		}

	}

}
