package io.quorate.internode;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.entry.Key;
import io.quorate.internode.context.Exchanges;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.reports.Program;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/** Exchanges of nodes that neither report nor record anything. */
public final class IdleExchanges {

	/** The exchange of a node that keeps no records. */
	public static final PeerStatusExchange STATUSES = new PeerStatusExchange() {

		@Override
		public DataStatus dataStatus(String peer) {
			return DataStatus.EMPTY;
		}

		@Override
		public Position position(String peer) {
			return Position.NONE;
		}

		@Override
		public LastKnownStatus recollectionOf(String peer) {
			return LastKnownStatus.NONE;
		}

		@Override
		public void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs) {
		}

		@Override
		public void heard(String peer, UUID storageId, DataStatus theirs) {
		}

		@Override
		public boolean isInSameIncarnation(String peer) {
			return true;
		}

		@Override
		public void acknowledged(String peer, UUID storageId, Position position) {
		}

	};

	/** The exchange of a node whose files are at the first format level for good. */
	public static final ProgramExchange PROGRAMS = new ProgramExchange() {

		@Override
		public Program own() {
			return Program.UNKNOWN;
		}

		@Override
		public void heard(String peer, Program theirs) {
		}

		@Override
		public void refused(String peer, @Nullable String why) {
		}

	};

	/** The exchange of a node that takes no part in decisions. */
	public static final LayoutExchange LAYOUTS = new LayoutExchange() {

		@Override
		public @Nullable LayoutReport own() {
			return null;
		}

		@Override
		public boolean isMember() {
			return true;
		}

		@Override
		public long version() {
			return Layout.FIRST;
		}

		@Override
		public void heard(String peer, LayoutReport theirs) {
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
			return Optional.empty();
		}

		@Override
		public @Nullable Failure refuses(long layout, @Nullable Key written) {
			return null;
		}

		@Override
		public CompletableFuture<Optional<Answer>> answer(Request request) {
			return CompletableFuture.completedFuture(Optional.empty());
		}

	};

	/** All exchanges of such a node. */
	public static final Exchanges ALL = new Exchanges(STATUSES, PROGRAMS, LAYOUTS);

	private IdleExchanges() {
	}

}
