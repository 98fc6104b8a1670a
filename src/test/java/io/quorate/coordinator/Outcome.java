package io.quorate.coordinator;

import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether a request has its outcome yet. All that decides a request runs on the thread of
 * the test, so that what it has not become when a call returns it does not become later
 * by that call.
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
