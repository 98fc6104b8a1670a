package io.quorate.entry;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyTests {

	@Test
	void bytesAreComparedUnsigned() {
		assertThat(key(0x80)).isGreaterThan(key(0x7f));
		assertThat(key(0xff)).isGreaterThan(key(0x00));
		assertThat(key(1, 0xff)).isLessThan(key(2));
	}

	@Test
	void aPrefixComesBeforeWhatItIsAPrefixOf() {
		assertThat(Key.of("ab")).isLessThan(Key.of("ab\0"));
		assertThat(Key.of("ab").startsWith(Key.of("a"))).isTrue();
		assertThat(Key.of("ab").startsWith(Key.of("ab"))).isTrue();
		assertThat(Key.of("ab").startsWith(Key.of("abc"))).isFalse();
		assertThat(Key.of("ab").startsWith(Key.of("b"))).isFalse();
	}

	@Test
	void keysOfTheSameBytesAreEqual() {
		assertThat(Key.of("größe")).isEqualTo(Key.copyOf("größe".getBytes(StandardCharsets.UTF_8)))
			.hasSameHashCodeAs(Key.of("größe"))
			.isNotEqualTo(Key.of("grosse"))
			.hasToString("größe");
	}

	@Test
	void aCopyIsNotChangedWithItsOriginal() {
		byte[] bytes = { 1, 2, 3 };
		Key key = Key.copyOf(bytes);
		bytes[0] = 9;
		assertThat(key).isEqualTo(key(1, 2, 3));
	}

	@Test
	void aKeyHasOneTo1024Bytes() {
		assertThat(Key.wrap(new byte[1]).size()).isOne();
		assertThat(Key.wrap(new byte[1024]).size()).isEqualTo(1024);
		assertThatIllegalArgumentException().isThrownBy(() -> Key.wrap(new byte[0]))
			.withMessage("a key has 1 to 1024 bytes, not 0");
		assertThatIllegalArgumentException().isThrownBy(() -> Key.copyOf(new byte[1025]));
	}

	@Test
	void theHashIsXxh64() {
		assertThat(Key.of("a").hash64()).isEqualTo(0xd24ec4f1a98c6e5bL);
		assertThat(Key.of("abc").hash64()).isEqualTo(0x44bc2cf5ad770999L);
	}

	private static Key key(int... bytes) {
		byte[] content = new byte[bytes.length];
		for (int i = 0; i < bytes.length; i++) {
			content[i] = (byte) bytes[i];
		}
		return Key.wrap(content);
	}

}
