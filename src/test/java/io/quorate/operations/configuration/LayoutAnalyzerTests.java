package io.quorate.operations.configuration;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Ledger;
import io.quorate.membership.agreement.KeyShares;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class LayoutAnalyzerTests {

	private final Layouts layouts = layouts("n0", "n0", "n1");

	private static Layouts layouts(String self, String... members) {
		List<Member> all = Stream.of(members).map(Member::of).toList();
		return new Layouts(self, new Layout(Layout.FIRST, List.of(), Ring.of(all, 2)));
	}

	private static FailureAnalysis analysis(Runnable start) {
		LayoutException failure = catchThrowableOfType(LayoutException.class, start::run);
		FailureAnalysis analysis = new LayoutAnalyzer().analyze(new IllegalStateException(failure));
		assertThat(analysis).isNotNull();
		return analysis;
	}

	private void open(AcceptorState state) {
		Membership membership = new Membership(this.layouts);
		RecordedIdentity identity = new RecordedIdentity(new UUID(0, 7), FormatLevel.FIRST);
		Upgrade upgrade = new Upgrade(this.layouts, membership, identity,
				new Program("2", FormatLevel.FIRST, FormatLevel.FIRST), Runnable::run);
		new LayoutAgreement(this.layouts, identity.storageId(), new Recovered(state),
				new MemberReports(this.layouts, membership, upgrade, identity), new Used());
	}

	@Test
	void membersOtherThanThoseOfTheLayoutAreToBeCorrected() {
		AcceptorState other = LayoutAgreement.first(layouts("n0", "n0", "n2"));
		FailureAnalysis analysis = analysis(() -> open(other));
		assertThat(analysis.getDescription()).contains("(file LAYOUT) has the members");
		assertThat(analysis.getAction()).contains("quorate.cluster.members");
	}

	@Test
	void aNodeThatHasLeftIsNotToChangeTheConfiguration() {
		AcceptorState left = LayoutAgreement.first(layouts("n1", "n1", "n2"));
		FailureAnalysis analysis = analysis(() -> open(left));
		assertThat(analysis.getDescription()).startsWith("The node is no member: ").contains("it has left the cluster");
		assertThat(analysis.getAction()).isNull();
	}

	@Test
	void theLayoutOfANewerProgramNeedsThatProgram() {
		AcceptorState newer = AcceptorState.of(new Decision(7, Decree.copyOf(new byte[] { 99 })));
		FailureAnalysis analysis = analysis(() -> open(newer));
		assertThat(analysis.getDescription()).startsWith("The program is too old: ").contains("Start that program");
		assertThat(analysis.getAction()).isNull();
	}

	/** The shares of a store that has held entries. */
	private record Used() implements KeyShares {

		@Override
		public void assign(ShareChange change) {
		}

		@Override
		public boolean hasHeld() {
			return true;
		}

	}

	/** A ledger that is only read. */
	private record Recovered(AcceptorState recovered) implements Ledger {

		@Override
		public void keep(AcceptorState state) throws IOException {
			throw new IOException("not here");
		}

	}

}
