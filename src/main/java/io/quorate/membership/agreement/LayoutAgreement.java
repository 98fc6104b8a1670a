package io.quorate.membership.agreement;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.quorate.clock.TimeSource;
import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.ConflictingDecreeException;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Proposer;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutMachine.Asked;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of this node in the decisions about the layout of the cluster: it votes,
 * proposes what {@link LayoutMachine} would have next, learns what is decided, and has
 * {@link Layouts} adopt it.
 * <p>
 * No member is elected to propose. Each evaluates the machine every second; of those that
 * can vote, the one with the smallest id proposes at once, the others later by their
 * rank. Two that propose at once do no harm: a version gets one content.
 * <p>
 * Used by one thread at a time, which waits for the disk; {@link #adopted},
 * {@link #report} and {@link #status} by any thread. Invariants:
 * <ol>
 * <li>A vote is durable before it is answered, and before this node knows of it.</li>
 * <li>A layout is durable in the ledger before it is adopted.</li>
 * <li>This node votes for no layout that {@link LayoutMachine#mayFollow} refuses.</li>
 * </ol>
 */
public final class LayoutAgreement {

	/** Time after which an answer of a member is not awaited any more. */
	static final Duration ANSWER = LayoutLearner.ANSWER;

	/** Time by which a member proposes later than the one before it. */
	static final Duration RANK_DELAY = Duration.ofSeconds(2);

	private static final Logger log = LoggerFactory.getLogger(LayoutAgreement.class);

	/* The pause after attempts in vain is 64 s at the most, but for the rank. */
	private static final int MOST_DOUBLINGS = 6;

	private final Layouts layouts;

	private final Participant participant;

	private final Supplier<LayoutFacts> facts;

	private final LongSupplier nanos;

	private @Nullable LayoutAttempt attempt;

	/* Of the attempt that was interrupted last. */
	private Ballot above = Ballot.NONE;

	private int failures;

	/* Instant before which nothing is proposed; none while nothing is wished. */
	private @Nullable Long notBefore;

	private final LayoutLearner learner;

	/* The change that this node was asked for, if any. */
	private @Nullable LayoutWish wish;

	private final LayoutAdoption adoption;

	private final VoteConditions conditions;

	private final JoiningPeers joining;

	private final LayoutTrouble trouble;

	/* Why the last attempt was in vain, in words. */
	private volatile @Nullable String failure;

	/**
	 * The agreement of a node with the state that its ledger has recovered.
	 * @param storageId identity of the data in its directory
	 * @param shares keys that the store holds
	 * @throws FormerMemberException when the last layout in the ledger does not name this
	 * node
	 * @throws LayoutException when it has other members than the configuration
	 */
	public LayoutAgreement(Layouts layouts, UUID storageId, Ledger ledger, MemberReports reports, KeyShares shares) {
		this(layouts, new Participant(new Voter(layouts.self(), storageId),
				(decree) -> LayoutCodec.read(decree).electorate(), ledger), reports::facts, shares, System::nanoTime);
	}

	LayoutAgreement(Layouts layouts, Participant participant, Supplier<LayoutFacts> facts, KeyShares shares,
			LongSupplier nanos) {
		this.layouts = layouts;
		this.participant = participant;
		this.facts = facts;
		this.nanos = nanos;
		this.trouble = new LayoutTrouble(nanos);
		this.learner = new LayoutLearner(participant, facts, nanos, this::learned);
		this.adoption = new LayoutAdoption(layouts, participant.self().storageId(), shares,
				participant.decisions().kept());
		this.conditions = new VoteConditions(layouts.self(), facts, this.adoption, this.trouble);
		this.joining = new JoiningPeers(layouts, nanos);
	}

	/** The state of the ledger of a node that knows nothing but its configuration. */
	public static AcceptorState first(Layouts layouts) {
		return AcceptorState
			.of(new Decision(Layout.FIRST, LayoutCodec.write(LayoutRecord.first(layouts.configured().ring()))));
	}

	private String self() {
		return this.layouts.self();
	}

	/** The layout that this node has adopted last. */
	public LayoutVersion adopted() {
		return this.adoption.version();
	}

	/** The progress of this node that it reports to the other members. */
	public LayoutReport report() {
		return this.adoption.report();
	}

	/**
	 * All writes that this node let in before it adopted a version are on its disk, or
	 * have failed.
	 */
	public void settled(long version) {
		this.adoption.settled(version);
	}

	/** This node has copied by a version all that it gains in the change under way. */
	public void copied(long version) {
		this.adoption.copied(version);
	}

	/**
	 * Answers a peer.
	 * @return the answer; empty when this node does not vote, or not for this layout
	 * @throws IOException when the state that the answer needs is not durable
	 * @throws ConflictingDecreeException when a version of the peer has another content
	 */
	public Optional<Answer> answer(Request request) throws IOException {
		try {
			if (request instanceof Request.Learn(Decision decision)) {
				this.adoption.isToReach(decision.version());
			}
			return vote(request);
		}
		catch (IOException | ConflictingDecreeException failed) {
			this.trouble.met(failed);
			throw failed;
		}
	}

	private Optional<Answer> vote(Request request) throws IOException {
		if (!this.conditions.mayAnswer(request)) {
			return Optional.empty();
		}
		Answer answer = this.participant.answer(request);
		adoptLatest();
		return Optional.of((answer instanceof Answer.Later(Decisions decisions))
				? new Answer.Later(LayoutLearner.bounded(decisions)) : answer);
	}

	/** The peers that join by what was decided last, and are not connected to yet. */
	public JoiningPeers joining() {
		return this.joining;
	}

	/**
	 * Has this node adopt the latest decision that it knows, unless peers are awaited
	 * that join by it.
	 */
	public void adoptLatest() {
		Decision latest = this.participant.decisions().latest();
		if (latest.version() <= adopted().version()) {
			return;
		}
		LayoutAttempt own = this.attempt;
		if (own != null) {
			log.atLevel(LayoutAdoption.level(latest.version()))
				.log("The layout of the cluster: version {} is decided, {} ms after this node proposed one",
						latest.version(), own.age(this.nanos.getAsLong()).toMillis());
		}
		this.attempt = null;
		this.failures = 0;
		this.failure = null;
		this.notBefore = null;
		try {
			if (this.joining.areAwaited(latest.version(), LayoutAdoption.read(latest))) {
				return;
			}
			this.adoption.adopt(latest);
			this.joining.adopted();
			this.trouble.end();
			if (this.wish != null) {
				this.wish.decided(this.participant.decisions());
				this.wish = null;
			}
		}
		catch (LayoutException unserved) {
			this.joining.givenUp();
			this.trouble.lasts(String.valueOf(unserved.getMessage()));
		}
		catch (IOException failure) {
			this.trouble.met("version %d is not adopted yet: %s".formatted(latest.version(), failure.getMessage()));
		}
	}

	/**
	 * Asks a member that knows later decisions for them, one that is up if there is any,
	 * unless one has been asked just now.
	 */
	public void catchUp(LayoutPeers peers) {
		this.learner.catchUp(peers);
	}

	/**
	 * Sends a member the last decision known here, unless one was sent just now: the
	 * member learns it, or answers with later ones.
	 */
	public void compareWith(String member, LayoutPeers peers) {
		this.learner.compareWith(member, peers);
	}

	/** Takes decisions that a member has sent. */
	public void learned(Decisions decisions) {
		guarded(() -> learn(decisions));
	}

	/**
	 * The decisions from a version on, if this node knows later ones; {@code null} when
	 * it does not, or knows that version with another content: then the others may be
	 * those of another history. A version that is not kept any more is not compared.
	 */
	public @Nullable Decisions later(LayoutVersion theirs) {
		Decisions known = this.participant.decisions();
		boolean isOther = known.kept().stream().map(LayoutVersion::of).anyMatch(theirs::contradicts);
		return (!isOther && known.latest().version() > theirs.version())
				? LayoutLearner.bounded(known.after(theirs.version() - 1)) : null;
	}

	private void learn(Decisions decisions) throws IOException {
		this.adoption.isToReach(decisions.latest().version());
		for (Decision decision : decisions.kept()) {
			vote(new Request.Learn(decision));
		}
	}

	/**
	 * Proposes a change now, as this node is asked to.
	 * @param version version of the layout that it is to follow
	 * @param by operator, in words
	 * @return the layout that begins or ends the change, once it is decided; fails with a
	 * {@link ChangeRefusedException} when there can be no such layout, another one is
	 * decided first, or none within {@link LayoutWish#LIMIT}: then it may be decided
	 * later
	 */
	public CompletableFuture<LayoutVersion> change(ChangeRequest change, long version, String by, LayoutPeers peers) {
		if (this.wish != null && !this.wish.outcome().isDone()) {
			return CompletableFuture
				.failedFuture(new ChangeRefusedException(Reason.BUSY, "another change is being decided", null));
		}
		try {
			if (adopted().version() != version) {
				throw new ChangeRefusedException(Reason.OVERTAKEN, "the layout has %s".formatted(adopted()), null);
			}
			LayoutAdoption.requireNew(change, this.participant.decisions().kept());
			Asked asked = new Asked(version, by, TimeSource.SYSTEM.millis());
			LayoutWish begun = LayoutWish.of(LayoutMachine.begun(this.adoption.record(), change, asked), version,
					this.nanos.getAsLong());
			this.wish = begun;
			this.notBefore = null;
			tick(peers);
			return begun.outcome();
		}
		catch (ChangeRefusedException impossible) {
			return CompletableFuture.failedFuture(impossible);
		}
	}

	/**
	 * Evaluates the machine, and proposes what comes next if it is this node's turn. To
	 * be called each second.
	 */
	public void tick(LayoutPeers peers) {
		this.trouble.forgetAnOldOne();
		adoptLatest();
		catchUp(peers);
		LayoutFacts now = facts();
		long instant = this.nanos.getAsLong();
		LayoutAttempt open = this.attempt;
		if (open != null && instant - open.untilNanos() >= 0) {
			failed(open, open.missed());
		}
		if (this.wish != null && this.wish.isOver(instant, this.failure)) {
			this.wish = null;
		}
		if (!this.conditions.isVoting() || this.attempt != null) {
			return;
		}
		Decision latest = this.participant.decisions().latest();
		Optional<LayoutRecord> next = next(latest, now);
		if (next.isEmpty()) {
			guarded(() -> this.adoption.settle(now));
			this.notBefore = null;
			this.failures = 0;
			this.failure = null;
			return;
		}
		if (this.notBefore == null) {
			Duration delay = (this.wish != null) ? Duration.ZERO : RANK_DELAY.multipliedBy(now.rankOf(self()));
			this.notBefore = instant + delay.toNanos();
		}
		if (instant - this.notBefore >= 0) {
			guarded(() -> propose(latest, next.get(), peers));
		}
	}

	/** The content of the layout that this node has adopted last. */
	public LayoutRecord record() {
		return this.adoption.record();
	}

	/** The facts of this instant. */
	public LayoutFacts facts() {
		return this.facts.get().with(self(), report());
	}

	private Optional<LayoutRecord> next(Decision latest, LayoutFacts now) {
		if (latest.version() != adopted().version()) {
			return Optional.empty();
		}
		LayoutWish asked = this.wish;
		if (asked != null && !asked.outcome().isDone()) {
			return Optional.of(asked.record());
		}
		try {
			return LayoutMachine.next(this.adoption.record(), now, this.adoption.isRestored());
		}
		catch (ChangeRefusedException impossible) {
			this.trouble.met(String.valueOf(impossible.getMessage()));
			return Optional.empty();
		}
	}

	private void propose(Decision latest, LayoutRecord wish, LayoutPeers peers) throws IOException {
		List<String> voters = this.adoption.record().stable().ids();
		boolean isByAll = this.adoption.isRestored() && !LayoutMachine.isMajorityLeft(this.adoption.record(), facts());
		Decree decree = LayoutCodec.write(wish);
		Proposer proposer = isByAll ? this.participant.proposeToAll(decree, this.above)
				: this.participant.propose(decree, this.above);
		LayoutAttempt begun = new LayoutAttempt(proposer, voters, new TreeMap<>(), peers,
				this.nanos.getAsLong() + LayoutAttempt.LIMIT.toNanos());
		this.attempt = begun;
		if (this.failures == 0) {
			log.atLevel(LayoutAdoption.level(latest.next()))
				.log("The layout of the cluster: version {} is proposed, {}", latest.next(), wish);
		}
		send(begun);
	}

	/* The node itself comes last: its answer may lead to the next message. */
	private void send(LayoutAttempt its) throws IOException {
		Request message = its.proposer().message();
		its.sent();
		for (String member : its.members()) {
			if (!member.equals(self())) {
				its.peers().ask(member, message, ANSWER, (outcome) -> guarded(() -> heard(its, member, outcome)));
			}
		}
		Optional<Answer> own = vote(message);
		heard(its, self(), own.<LayoutPeers.Outcome>map(LayoutPeers.Outcome.Answered::new)
			.orElseGet(() -> new LayoutPeers.Outcome.Refused("this node gives no vote for that")));
	}

	private void heard(LayoutAttempt its, String member, LayoutPeers.Outcome outcome) throws IOException {
		switch (outcome) {
			case LayoutPeers.Outcome.Answered(var answer) -> {
				its.answered(member);
				takeIn(its, answer);
			}
			case LayoutPeers.Outcome.Refused(var why) -> its.refused(member, why);
		}
	}

	private void takeIn(LayoutAttempt its, Answer answer) throws IOException {
		if (!its.equals(this.attempt)) {
			return;
		}
		if (its.proposer().takeIn(answer)) {
			send(its);
		}
		else if (its.proposer().outcome() instanceof Proposer.Outcome.Interrupted(Ballot by)) {
			this.above = by;
			failed(its, "another member proposes, too");
		}
		else if (its.proposer().outcome() instanceof Proposer.Outcome.Overtaken(Decisions decisions)) {
			learn(decisions);
		}
	}

	/** Ends an attempt in vain: the next one comes later each time. */
	private void failed(LayoutAttempt its, String why) {
		if (!its.equals(this.attempt)) {
			return;
		}
		this.attempt = null;
		Duration pause = Duration.ofSeconds(1L << this.failures);
		this.failures = Math.min(this.failures + 1, MOST_DOUBLINGS);
		this.notBefore = this.nanos.getAsLong()
				+ pause.plus(RANK_DELAY.multipliedBy(this.facts.get().rankOf(self()))).toNanos();
		String said = "version %d is not decided: %s".formatted(this.participant.decisions().latest().next(), why);
		if (!said.equals(this.failure)) {
			log.info("The layout of the cluster: {}", said);
		}
		this.failure = said;
	}

	/**
	 * Runs a step of an attempt. A failure is reported in the state and the log: the
	 * ledger fails all later steps too, until the process starts anew.
	 */
	private void guarded(Step step) {
		try {
			step.run();
		}
		catch (IOException | ConflictingDecreeException failed) {
			this.trouble.met(failed);
		}
	}

	/** The state of the layout, as this node sees it. */
	public LayoutStatus status(MemberReports reports) {
		LayoutFacts now = facts();
		LayoutRecord current = this.adoption.record();
		List<String> blockedBy = new ArrayList<>();
		add(this.layouts.hasLeft() ? "this node, %s, has left the cluster: it can be stopped".formatted(self())
				: this.layouts.unfit(), blockedBy);
		add(this.trouble.said(), blockedBy);
		add(this.failure, blockedBy);
		if (this.participant.decisions().latest().version() == adopted().version()) {
			LayoutMachine.blockedBy(current, now, this.adoption.isRestored())
				.forEach((reason) -> add(reason, blockedBy));
		}
		return new LayoutStatus(adopted(), LayoutStatus.State.of(current),
				current.members()
					.stream()
					.map((member) -> new LayoutStatus.Member(member.id(), member.member().zone(),
							reports.stateOf(member.id()), now.adoptedBy(member.id())))
					.toList(),
				blockedBy);
	}

	private static void add(@Nullable String reason, List<String> reasons) {
		if (reason != null && !reasons.contains(reason)) {
			reasons.add(reason);
		}
	}

	/** A step that waits for the disk. */
	private interface Step {

		void run() throws IOException;

	}

	/**
	 * An attempt to have a layout decided. Used by one thread at a time.
	 *
	 * @param members members to which its messages go
	 * @param missing those that have not answered the last message, with their reasons
	 * @param untilNanos instant at which it is given up
	 */
	private record LayoutAttempt(Proposer proposer, List<String> members, Map<String, String> missing,
			LayoutPeers peers, long untilNanos) {

		/** Time after which an attempt is given up. */
		static final Duration LIMIT = Duration.ofSeconds(3);

		/** Time since the first message, at an instant. */
		Duration age(long nanos) {
			return LIMIT.minusNanos(this.untilNanos - nanos);
		}

		/** Notes that a message has been sent to all members. */
		void sent() {
			this.members.forEach((member) -> this.missing.put(member, ""));
		}

		void answered(String member) {
			this.missing.remove(member);
		}

		void refused(String member, String why) {
			this.missing.replace(member, why);
		}

		/** The members whose answers are missing, with their reasons. */
		String missed() {
			return "%d of %d members have not answered within %d s: %s".formatted(this.missing.size(),
					this.members.size(), LIMIT.toSeconds(),
					this.missing.entrySet()
						.stream()
						.map((each) -> each.getValue().isEmpty() ? each.getKey()
								: "%s (%s)".formatted(each.getKey(), each.getValue()))
						.collect(Collectors.joining(", ")));
		}

	}

}
