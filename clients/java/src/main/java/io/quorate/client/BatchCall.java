package io.quorate.client;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** A batch: many requests for single keys in one. */
final class BatchCall extends Call<List<ItemResult>> {

	private final List<Item> items;

	private final List<ItemResult> results = new ArrayList<>();

	BatchCall(Core core, CallOptions options, List<? extends Item> items) {
		super(core, Operation.BATCH, options, Runnable::run);
		this.items = List.copyOf(items);
	}

	private List<Item> rest() {
		return this.items.subList(this.results.size(), this.items.size());
	}

	@Override
	Request request() {
		return Requests.batch(rest(), options());
	}

	@Override
	Effect effect() {
		return Requests.effect(rest());
	}

	@Override
	AnswerSink sink() {
		return new WholeBody(options().maxAnswerSize(), this::answered, this::broke);
	}

	private void answered(Answer answer) {
		try {
			if (answer.status() != Answers.OK) {
				throw Problems.errorOf(answer, false);
			}
			int missing = take(answer);
			if (missing > 0) {
				attemptFailed(TransportException.sent("the answer ended before that of " + missing + " items", null));
				return;
			}
		}
		catch (QuorateException failure) {
			attemptFailed(failure);
			return;
		}
		attemptSucceeded();
		complete(List.copyOf(this.results));
	}

	/* The items whose answers came have them, whatever comes of the others. */
	private void broke(Exception failure, @Nullable Answer answer) {
		Exception reason = failure;
		if (answer != null && answer.status() == Answers.OK) {
			try {
				take(answer);
			}
			catch (QuorateException lie) {
				reason = lie;
			}
		}
		attemptFailed(reason);
	}

	/** Adds the results of an answer, and returns the number of items without one. */
	private int take(Answer answer) {
		List<Item> asked = new ArrayList<>(rest());
		List<byte[]> lines = Lines.of(answer.body());
		if (lines.size() > asked.size()) {
			// Then no line is certain to be that of an item. Those of earlier answers
			// are.
			throw answer.invalid("with more lines than items");
		}
		for (int i = 0; i < lines.size(); i++) {
			this.results.add(Answers.item(asked.get(i), answer, lines.get(i)));
		}
		return asked.size() - lines.size();
	}

	@Override
	void end(QuorateException failure) {
		if (this.results.isEmpty()) {
			fail(failure);
			return;
		}
		for (Item item : rest().toArray(Item[]::new)) {
			this.results.add(new FailedItem(unanswered(item, failure)));
		}
		complete(List.copyOf(this.results));
	}

	/* What is known of the items is so, whoever has ended the call. */
	@Override
	void abandoned(QuorateException failure) {
		end(failure);
	}

	private static QuorateException unanswered(Item item, QuorateException failure) {
		if (item instanceof Get && failure instanceof OutcomeUnknownException) {
			NoNodeAnsweredException error = new NoNodeAnsweredException("the answer broke off before that of the read",
					failure);
			error.haveFailures(failure.failures());
			return error;
		}
		return failure;
	}

}
