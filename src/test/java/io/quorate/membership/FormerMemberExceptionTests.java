package io.quorate.membership;

import java.io.IOException;
import java.util.UUID;

import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FormerMemberExceptionTests {

	private int abandoned;

	private @Nullable IOException failure;

	private final StoreIdentity identity = new StoreIdentity() {

		@Override
		public UUID storageId() {
			return new UUID(1, 2);
		}

		@Override
		public boolean isNew() {
			return false;
		}

		@Override
		public void settle() {
		}

		@Override
		public void abandon() throws IOException {
			FormerMemberExceptionTests.this.abandoned++;
			if (FormerMemberExceptionTests.this.failure != null) {
				throw FormerMemberExceptionTests.this.failure;
			}
		}

	};

	@Test
	void aFormerMemberThatJoinsByItselfBeginsAnewAtTheNextStart() {
		LayoutException refused = new FormerMemberException("n3", 7).beginningAnew(this.identity);
		assertThat(refused).isInstanceOf(FormerMemberException.class)
			.hasMessageContaining("version 7 of the layout (file LAYOUT) does not name this node, 'n3'")
			.hasMessageContaining("The next start sets its files aside")
			.hasMessageNotContaining("Move its directory");
		assertThat(this.abandoned).isEqualTo(1);
	}

	@Test
	void aFormerMemberWhoseDiskFailsSaysSo() {
		this.failure = new IOException("disk full");
		assertThat(new FormerMemberException("n3", 7).beginningAnew(this.identity))
			.hasMessageContaining("Move its directory")
			.hasSuppressedException(this.failure);
	}

}
