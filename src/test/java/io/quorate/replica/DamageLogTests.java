package io.quorate.replica;

import java.nio.file.Path;

import io.quorate.storage.StorageCorruptedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DamageLogTests {

	private final DamageLog log = new DamageLog();

	@Test
	void eachDamageIsNamedOnce(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.log.met(damage(0));
			this.log.met(damage(4096));
		}
		assertThat(output.getOut()).containsOnlyOnce("1.sst is damaged at offset 0:")
			.containsOnlyOnce("1.sst is damaged at offset 4096:");
	}

	@Test
	void damageWithoutEndIsNotNamedWithoutEnd(CapturedOutput output) {
		for (int i = 0; i < 2 * DamageLog.MAX_REMEMBERED; i++) {
			this.log.met(damage(i));
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains("A read has met damage")))
			.hasSize(DamageLog.MAX_REMEMBERED);
		assertThat(output.getOut()).containsOnlyOnce("no more are named");
	}

	private static StorageCorruptedException damage(long offset) {
		return new StorageCorruptedException(Path.of("1.sst"), offset, "flipped", null);
	}

}
