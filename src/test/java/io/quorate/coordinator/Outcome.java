package io.quorate.coordinator;

import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outcome of a request, seen without waiting. All that decides a request runs on the
 * thread of the test: a call that has returned without an outcome brings none later.
 */
final class Outcome {

	private boolean isThere;

	<T> Mono<T> of(Mono<T> request) {
		return request.doOnSubscribe((_) -> this.isThere = false).doOnTerminate(() -> this.isThere = true);
	}

	void requireNone() {
		assertThat(this.isThere).as("the outcome of the request is there").isFalse();
	}

}
