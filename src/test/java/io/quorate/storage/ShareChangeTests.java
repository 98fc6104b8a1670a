package io.quorate.storage;

import java.util.Set;

import io.quorate.entry.Partitions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ShareChangeTests {

	@Test
	void aChangeMayChangeNothing() {
		assertThat(new ShareChange(1, Set.of(), Set.of()).isEmpty()).isTrue();
		assertThat(new ShareChange(1, Set.of(0), Set.of()).isEmpty()).isFalse();
		assertThat(new ShareChange(1, Set.of(), Set.of(Partitions.COUNT - 1)).isEmpty()).isFalse();
	}

	@Test
	void aChangeThatMakesNoSenseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ShareChange(0, Set.of(), Set.of()));
		assertThatIllegalArgumentException().isThrownBy(() -> new ShareChange(1, Set.of(7), Set.of(7, 8)));
		assertThatIllegalArgumentException().isThrownBy(() -> new ShareChange(1, Set.of(-1), Set.of()));
		assertThatIllegalArgumentException().isThrownBy(() -> new ShareChange(1, Set.of(), Set.of(Partitions.COUNT)));
	}

}
