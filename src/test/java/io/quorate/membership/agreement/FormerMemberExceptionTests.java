package io.quorate.membership.agreement;

import java.io.IOException;
import java.util.UUID;

import io.quorate.membership.layout.LayoutException;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FormerMemberExceptionTests {

	private final RecordedIdentity identity = new RecordedIdentity(new UUID(1, 2), FormatLevel.NEWEST);

	@Test
	void aFormerMemberThatJoinsByItselfBeginsAnewAtTheNextStart() {
		LayoutException refused = new FormerMemberException("n3", 7).beginningAnew(this.identity);
		assertThat(refused).isInstanceOf(FormerMemberException.class)
			.hasMessageContaining("version 7 of the layout (file LAYOUT) does not name this node, 'n3'")
			.hasMessageContaining("The next start sets its files aside")
			.hasMessageNotContaining("Move its directory");
		assertThat(this.identity.abandoned()).isEqualTo(1);
	}

	@Test
	void aFormerMemberWhoseDiskFailsSaysSo() {
		IOException failure = new IOException("disk full");
		this.identity.fail(failure);
		assertThat(new FormerMemberException("n3", 7).beginningAnew(this.identity))
			.hasMessageContaining("Move its directory")
			.hasSuppressedException(failure);
	}

}
