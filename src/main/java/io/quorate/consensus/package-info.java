/**
 * Decisions that the members of a cluster take together: a chain of versions, each of
 * which gets one content for good.
 * <p>
 * A version is decided by Paxos of a single decision (Lamport, "Paxos Made Simple",
 * 2001). Its voters are those that the content of the version before names, so they never
 * change while a decision is taken, and a change of voters needs no rule of its own. A
 * voter is a node <em>and</em> the storage id of its directory: a node that has lost its
 * disk has lost its promises, and votes again when a later version names its new storage
 * id. Before a decision has named storage ids, all nodes decide together. The model is
 * {@code Config.tla}.
 * <p>
 * {@link io.quorate.consensus.Acceptor} votes, {@link io.quorate.consensus.Proposer} has
 * one content decided, {@link io.quorate.consensus.Decisions} is what a learner knows;
 * all three are pure. {@link io.quorate.consensus.Participant} is a member's part in it:
 * a {@link io.quorate.consensus.Ledger} keeps the state of its acceptor before an answer
 * is sent, and the round of each of its ballots before the first message with it.
 * <p>
 * Promises that no two learners know different contents of one version, whatever is lost,
 * doubled, late or out of order, and whichever nodes crash, as long as no ledger loses
 * what it has kept. Promises no progress while no majority of the voters answers, or
 * while proposers with higher and higher ballots interrupt each other. No threads, no
 * time, and no I/O but that of the ledger, which may be a file of its directory
 * ({@link io.quorate.consensus.file.LedgerFile}).
 */
@NullMarked
@ApplicationModule(allowedDependencies = "storage :: file")
package io.quorate.consensus;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
