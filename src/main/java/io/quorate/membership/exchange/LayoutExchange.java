package io.quorate.membership.exchange;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.reports.MemberProcesses;
import io.quorate.replica.LayoutFence;
import org.jspecify.annotations.Nullable;

/**
 * The messages of members about the layout of the cluster. Called on event loops, by
 * several at once; must neither block nor fail.
 */
public interface LayoutExchange extends LayoutFence {

	/**
	 * The layout that this node has adopted, and its progress; {@code null} while it
	 * takes no part in decisions.
	 */
	@Nullable LayoutReport own();

	/**
	 * The version of the layout that this node has adopted, by which it plans requests.
	 */
	long version();

	/** Whether this node is a member by that layout. */
	boolean isMember();

	/** The processes that are connected to this node as members. */
	default MemberProcesses processes() {
		return MemberProcesses.UNJUDGED;
	}

	/** A peer has reported the layout that it has adopted, and its progress. */
	void heard(String peer, LayoutReport theirs);

	/**
	 * A peer has refused a request because it has adopted another layout than this node.
	 */
	void differs(String peer);

	/**
	 * The decisions from a version on, or {@code null} when this node knows that version
	 * with another content, or none later: for a node that it refuses because they do not
	 * name it.
	 */
	@Nullable Decisions later(LayoutVersion theirs);

	/**
	 * The last decisions, or {@code null} when there are none: for a node that it refuses
	 * because they do not name it, and that knows no layout. Only a node of the
	 * configuration is meant, which takes the first layout for the last one.
	 */
	@Nullable Decisions laterThanFirst(String node);

	/**
	 * A peer has refused this node because it is no member, and has shown why.
	 * @param later decisions that the peer knows
	 */
	void excludedBy(String peer, Decisions later);

	/**
	 * A node of this cluster, which has adopted a layout and takes this node for a member
	 * of it, is refused: it is no member by the layout of this node.
	 */
	default void refused(String stranger, LayoutVersion theirs) {
	}

	/**
	 * The time for which this node has had no connection to a member, zero when there is
	 * one; empty when it knows no such member.
	 */
	Optional<Duration> silenceOf(String member);

	/**
	 * Answers a peer, once the state that the answer needs is durable. Completes on
	 * another thread; empty when this node does not vote, exceptionally when it cannot.
	 */
	CompletableFuture<Optional<Answer>> answer(Request request);

}
