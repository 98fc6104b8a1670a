package io.quorate.consensus;

/** The decree that an acceptor has accepted, and the ballot in which it has. */
public record Vote(Ballot ballot, Decree decree) {
}
