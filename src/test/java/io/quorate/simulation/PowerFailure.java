package io.quorate.simulation;

/** The end of a process in the midst of a step: no code of the product catches it. */
final class PowerFailure extends Error {

	private final transient SimulatedNode node;

	PowerFailure(SimulatedNode node) {
		super("the power of %s fails".formatted(node.id()), null, false, false);
		this.node = node;
	}

	SimulatedNode node() {
		return this.node;
	}

}
