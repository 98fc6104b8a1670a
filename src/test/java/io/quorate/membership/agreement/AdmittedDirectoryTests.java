package io.quorate.membership.agreement;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.ShareChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The directory of a node that a layout has join, by its storage id. */
class AdmittedDirectoryTests {

	private static final LayoutRecord BEFORE = LayoutFixture.stable(3, 3);

	private final Shares shares = new Shares();

	private static Decision decision(long version, LayoutRecord content) {
		return new Decision(version, LayoutCodec.write(content));
	}

	private void adopt(String self, UUID storageId, LayoutRecord... later) throws IOException {
		adopt(layouts(self), storageId, later);
	}

	private static Layouts layouts(String self) {
		return Layouts.of(self, List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), 3,
				self + "@host" + self.charAt(1) + ":7100", List.of());
	}

	private LayoutAdoption adoption(Layouts layouts, UUID storageId) {
		this.shares.layouts = layouts;
		return new LayoutAdoption(layouts, storageId, this.shares, Decisions.of(decision(2, BEFORE)).kept());
	}

	private void adopt(Layouts layouts, UUID storageId, LayoutRecord... later) throws IOException {
		LayoutAdoption adoption = adoption(layouts, storageId);
		adoption.isToReach(2 + later.length);
		for (int i = 0; i < later.length; i++) {
			adoption.adopt(decision(3 + i, later[i]));
		}
	}

	private static LayoutRecord joined() {
		return LayoutMachine.add(BEFORE, member(3), LayoutFixture.ASKED);
	}

	@Test
	void aDirectoryByWhichANodeJoinsIsAdmittedOnceThatIsAdopted() throws IOException {
		adopt("n3", member(3).storageId(), joined());
		assertThat(this.shares.admittedAt).containsExactly(3L);
	}

	@Test
	void requestsWaitFromTheAdoptionToTheAdmission() throws IOException {
		Layouts layouts = layouts("n3");
		List<Boolean> atAdoption = admittingAtAdoption(layouts);
		adopt(layouts, member(3).storageId(), joined());
		assertThat(atAdoption).containsExactly(true);
		assertThat(this.shares.isAdmitting).containsExactly(true);
		assertThat(layouts.isAdmitting()).isFalse();
	}

	/* Whether the node was about to admit its directory when it adopted version 3. */
	private static List<Boolean> admittingAtAdoption(Layouts layouts) {
		List<Boolean> admitting = new ArrayList<>();
		layouts.follow((Adopted) (later) -> {
			if (later.version() == 3) {
				admitting.add(layouts.isAdmitting());
			}
		});
		return admitting;
	}

	/* A change of addresses, for instance, names a node that joins again. */
	@Test
	void requestsDoNotWaitForADirectoryThatIsNotNew() throws IOException {
		Layouts layouts = layouts("n3");
		List<Boolean> atAdoption = admittingAtAdoption(layouts);
		this.shares.isNew = false;
		adopt(layouts, member(3).storageId(), joined());
		assertThat(atAdoption).containsExactly(false);
		assertThat(this.shares.admittedAt).isEmpty();
	}

	@Test
	void requestsWaitForTheNextAttemptWhenAFollowerFails() throws IOException {
		Layouts layouts = layouts("n3");
		LayoutAdoption adoption = failedOnce(layouts);
		assertThat(layouts.current().version()).isEqualTo(3);
		assertThat(layouts.isAdmitting()).isTrue();
		adoption.adopt(decision(3, joined()));
		assertThat(this.shares.admittedAt).containsExactly(3L);
		assertThat(layouts.isAdmitting()).isFalse();
	}

	/* It has met a majority meanwhile: its directory is not new any more. */
	@Test
	void requestsDoNotWaitOnceTheDirectoryIsNotNew() throws IOException {
		Layouts layouts = layouts("n3");
		LayoutAdoption adoption = failedOnce(layouts);
		this.shares.isNew = false;
		adoption.adopt(decision(3, joined()));
		assertThat(layouts.isAdmitting()).isFalse();
	}

	/* A follower has failed after the adoption, and does not fail again. */
	private LayoutAdoption failedOnce(Layouts layouts) throws IOException {
		AtomicBoolean fails = new AtomicBoolean(true);
		layouts.follow(failing(fails));
		LayoutAdoption adoption = adoption(layouts, member(3).storageId());
		assertThatThrownBy(() -> adoption.adopt(decision(3, joined()))).hasMessage("a follower has failed");
		fails.set(false);
		return adoption;
	}

	private static LayoutFollower failing(AtomicBoolean fails) {
		return (Adopted) (later) -> {
			if (later.version() == 3 && fails.get()) {
				throw new IllegalStateException("a follower has failed");
			}
		};
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aNodeThatCannotAdoptALayoutAdmitsNothing(boolean isForWantOfMemory) {
		Layouts layouts = layouts("n3");
		layouts.derive((layout) -> {
			if (layout.version() != 3) {
				return layout.version();
			}
			if (isForWantOfMemory) {
				throw new OutOfMemoryError("out of room");
			}
			throw new IllegalStateException("out of room");
		});
		assertThatThrownBy(() -> adopt(layouts, member(3).storageId(), joined())).hasMessage("out of room");
		assertThat(this.shares.admittedAt).isEmpty();
		assertThat(layouts.isAdmitting()).isFalse();
	}

	/* It has lost the one that was named, and what that one has acknowledged since. */
	@Test
	void aDirectoryAfterTheOneThatIsNamedIsNotAdmitted() throws IOException {
		adopt("n3", new UUID(2, 2), joined());
		assertThat(this.shares.admittedAt).isEmpty();
	}

	/* It would have copied all by then: it is an older state of the directory. */
	@Test
	void aDirectoryIsNotAdmittedByAJoiningThatIsOver() throws IOException {
		adopt("n3", member(3).storageId(), joined(), LayoutMachine.complete(joined()));
		assertThat(this.shares.admittedAt).isEmpty();
	}

	/* It may have acknowledged something before the layout named it. */
	@Test
	void aDirectoryOfAMemberThatStaysIsNotAdmitted() throws IOException {
		adopt("n1", member(1).storageId(), joined(), LayoutMachine.complete(joined()));
		assertThat(this.shares.admittedAt).isEmpty();
	}

	/** A follower of adoptions alone. */
	private interface Adopted extends LayoutFollower {

		@Override
		void adopted(Layout later);

	}

	private static final class Shares implements KeyShares {

		private final List<Long> admittedAt = new ArrayList<>();

		private final List<Boolean> isAdmitting = new ArrayList<>();

		private boolean isNew = true;

		private @Nullable Layouts layouts;

		private Layouts layouts() {
			return Objects.requireNonNull(this.layouts);
		}

		@Override
		public void assign(ShareChange change) {
		}

		@Override
		public boolean isNew() {
			return this.isNew;
		}

		@Override
		public void admitted() {
			this.admittedAt.add(layouts().current().version());
			this.isAdmitting.add(layouts().isAdmitting());
		}

	}

}
