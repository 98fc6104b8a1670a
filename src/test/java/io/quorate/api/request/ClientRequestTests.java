package io.quorate.api.request;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientRequestTests {

	private final ClientRequest request = new ClientRequest(Operation.GET, null, new ClientRequest.Listener() {

		@Override
		public void valueCame(int sizeBytes) {
			// Not of interest.
		}

		@Override
		public void valueGoes(int sizeBytes) {
			// Not of interest.
		}

		@Override
		public void ended(ClientRequest ended, Outcome outcome) {
			// Not of interest.
		}

	});

	@Test
	void aClientThatLeavesWhileItWaitsHasTakenNoTime() {
		this.request.waits();
		long waited = System.nanoTime();
		this.request.cancelled();
		assertThat(this.request.timeline().beginNanos() - waited).isNotNegative();
	}

	@Test
	void theTimeAfterAWaitCounts() {
		this.request.waits();
		long waited = System.nanoTime();
		this.request.waited();
		long answering = System.nanoTime();
		this.request.answered(200);
		assertThat(this.request.timeline().beginNanos()).isBetween(waited, answering);
	}

}
