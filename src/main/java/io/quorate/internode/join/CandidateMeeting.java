package io.quorate.internode.join;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.Position;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.context.Exchanges;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.membership.change.CandidateContact.Candidate;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.reports.Program;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The handshake with a node that is to become a member. This node reports as to its
 * peers, of its position the sequence alone, but takes the reports of the other one only
 * as those of a candidate: until it is a member they must change nothing here. Called on
 * event loops.
 */
public final class CandidateMeeting implements PeerListener {

	private final PeerContext context;

	private final CompletableFuture<Candidate> met = new CompletableFuture<>();

	private volatile boolean hasData;

	private volatile @Nullable LayoutVersion adopted;

	/**
	 * A meeting that has not begun.
	 * @param context context of the connections to peers
	 */
	public CandidateMeeting(PeerContext context) {
		this.context = context;
	}

	/** The report of the node, once both have accepted the handshake. */
	public CompletableFuture<Candidate> met() {
		return this.met;
	}

	/** The context of the connections of the meeting, whose meters nothing shows. */
	public PeerContext around() {
		return this.context.with(new Exchanges(new Statuses(), new Programs(), new Decided()),
				new SimpleMeterRegistry());
	}

	@Override
	public boolean isLogged() {
		return false;
	}

	/** Comes after all reports of the handshake. */
	@Override
	public void greeted(String node, UUID storageId) {
		this.met.complete(new Candidate(storageId, this.hasData, this.adopted));
	}

	private final class Statuses implements PeerStatusExchange {

		private final PeerStatusExchange own = CandidateMeeting.this.context.exchanges().statuses();

		@Override
		public DataStatus dataStatus(String peer) {
			return this.own.dataStatus(peer);
		}

		@Override
		public Position position(String peer) {
			return this.own.position(peer);
		}

		@Override
		public LastKnownStatus recollectionOf(String peer) {
			return LastKnownStatus.NONE;
		}

		@Override
		public void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs) {
			CandidateMeeting.this.hasData = theirs.position().sequence() > 0;
		}

		@Override
		public void heard(String peer, UUID storageId, DataStatus theirs) {
		}

		@Override
		public boolean isInSameIncarnation(String peer) {
			return false;
		}

		@Override
		public void acknowledged(String peer, UUID storageId, Position position) {
		}

	}

	private final class Programs implements ProgramExchange {

		@Override
		public Program own() {
			return CandidateMeeting.this.context.exchanges().programs().own();
		}

		@Override
		public void heard(String peer, Program theirs) {
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			if (why != null) {
				CandidateMeeting.this.met.completeExceptionally(new IOException(why));
			}
		}

	}

	private final class Decided implements LayoutExchange {

		private final LayoutExchange own = CandidateMeeting.this.context.exchanges().layouts();

		@Override
		public @Nullable LayoutReport own() {
			return this.own.own();
		}

		@Override
		public boolean isMember() {
			return this.own.isMember();
		}

		@Override
		public long version() {
			return this.own.version();
		}

		@Override
		public void heard(String peer, LayoutReport theirs) {
			CandidateMeeting.this.adopted = theirs.adopted();
		}

		@Override
		public void differs(String peer) {
		}

		@Override
		public @Nullable Decisions later(LayoutVersion theirs) {
			return null;
		}

		@Override
		public @Nullable Decisions laterThanFirst(String node) {
			return null;
		}

		@Override
		public void excludedBy(String peer, Decisions later) {
		}

		@Override
		public Optional<Duration> silenceOf(String member) {
			return this.own.silenceOf(member);
		}

		@Override
		public @Nullable Failure refuses(long layout, @Nullable Key written) {
			return this.own.refuses(layout, written);
		}

		@Override
		public CompletableFuture<Optional<Answer>> answer(Request request) {
			return CompletableFuture.completedFuture(Optional.empty());
		}

	}

}
