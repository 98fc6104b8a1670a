package io.quorate.client;

import java.util.function.Function;

/**
 * A call of one request with one answer.
 *
 * @param <T> the kind of result
 */
final class SingleCall<T> extends Call<T> {

	private final Request request;

	private final Function<Answer, T> meaning;

	SingleCall(Core core, Operation operation, CallOptions options, Request request, Function<Answer, T> meaning) {
		super(core, operation, options, Runnable::run);
		this.request = request;
		this.meaning = meaning;
	}

	@Override
	Request request() {
		return this.request;
	}

	@Override
	Effect effect() {
		return this.request.effect();
	}

	@Override
	AnswerSink sink() {
		return new WholeBody(options().maxAnswerSize(), this::answered, (failure, answer) -> attemptFailed(failure));
	}

	private void answered(Answer answer) {
		T value;
		try {
			value = this.meaning.apply(answer);
		}
		catch (QuorateException failure) {
			attemptFailed(failure);
			return;
		}
		if (operation().isOfOneKey()) {
			acknowledgedBy(ServerTiming.acknowledged(answer));
		}
		attemptSucceeded();
		complete(value);
	}

}
