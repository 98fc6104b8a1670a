package io.quorate.simulation;

import java.util.HashSet;
import java.util.Set;

/**
 * The messages that a {@link Scenario} keeps from their receivers, until it lets them
 * pass: none in a run by a seed.
 */
final class Obstacles {

	/** Nodes that no message about layouts comes to or from, but votes. */
	final Set<String> deaf = new HashSet<>();

	/** Nodes that no proposal of a layout comes to or from. */
	final Set<String> voteless = new HashSet<>();

	/** Ways of requests to replicas on which they are lost, each as {@code from>to}. */
	final Set<String> lost = new HashSet<>();

	/** Ways on which writes alone are lost. */
	final Set<String> lostWrites = new HashSet<>();

	/** Ways on which writes wait. */
	final Set<String> heldWrites = new HashSet<>();

	/** Ways on which promises wait to be heard. */
	final Set<String> heldPromises = new HashSet<>();

	/**
	 * Ways on which no comparison and no copy begins, led by the node that is named
	 * first.
	 */
	final Set<String> uncompared = new HashSet<>();

	/** Nodes that copy, and are copied from, but are not compared with others. */
	final Set<String> copiedOnly = new HashSet<>();

	/** Whether hints wait. */
	boolean areHintsHeld;

	private static String way(String from, String to) {
		return from + ">" + to;
	}

	/** Has requests between a node and others be lost, both ways. */
	void lose(int node, int... others) {
		add(this.lost, node, others);
	}

	/** Has writes of a node to others be lost. */
	void loseWrites(int node, int... others) {
		for (int other : others) {
			this.lostWrites.add(way("n" + node, "n" + other));
		}
	}

	/** Has writes of a node to others wait. */
	void holdWrites(int node, int... others) {
		for (int other : others) {
			this.heldWrites.add(way("n" + node, "n" + other));
		}
	}

	/** Has a node hear of the promises of another one later. */
	void holdPromises(int node, int other) {
		this.heldPromises.add(way("n" + node, "n" + other));
	}

	/** Has a node and others not be compared, nor copied from each other. */
	void keepApart(int node, int... others) {
		add(this.uncompared, node, others);
	}

	/** Has a node and others be compared again. */
	void bringTogether(int node, int... others) {
		for (int other : others) {
			this.uncompared.remove(way("n" + node, "n" + other));
			this.uncompared.remove(way("n" + other, "n" + node));
		}
	}

	private static void add(Set<String> ways, int node, int... others) {
		for (int other : others) {
			ways.add(way("n" + node, "n" + other));
			ways.add(way("n" + other, "n" + node));
		}
	}

	/** Has some nodes hear nothing of layouts, and give and get votes. */
	void deafen(int... nodes) {
		for (int node : nodes) {
			this.deaf.add("n" + node);
		}
	}

	/** Has all nodes hear of layouts. */
	void undeafen() {
		this.deaf.clear();
	}

	/** Has some nodes neither propose nor vote. */
	void silence(int... nodes) {
		for (int node : nodes) {
			this.voteless.add("n" + node);
		}
	}

	boolean isDeaf(SimulatedProcess one, SimulatedProcess other) {
		return this.deaf.contains(one.id()) || this.deaf.contains(other.id());
	}

	boolean isVoteLost(SimulatedProcess one, SimulatedProcess other) {
		return this.voteless.contains(one.id()) || this.voteless.contains(other.id());
	}

	boolean isLost(String from, String to) {
		return this.lost.contains(way(from, to));
	}

	boolean isWriteLost(String from, String to) {
		return this.lostWrites.contains(way(from, to));
	}

	boolean isWriteHeld(String from, String to) {
		return this.heldWrites.contains(way(from, to));
	}

	boolean isPromiseHeld(String from, String to) {
		return this.heldPromises.contains(way(from, to));
	}

	boolean isCopiedOnly(String one, String other) {
		return this.copiedOnly.contains(one) || this.copiedOnly.contains(other);
	}

	boolean isApart(String leader, String peer) {
		return this.uncompared.contains(way(leader, peer));
	}

}
