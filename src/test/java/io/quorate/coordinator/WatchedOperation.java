package io.quorate.coordinator;

/** An operation without an end yet. */
final class WatchedOperation {

	final SimulatedCluster.Node coordinator;

	Runnable lost = () -> {
	};

	WatchedOperation(SimulatedCluster.Node coordinator) {
		this.coordinator = coordinator;
	}

}
