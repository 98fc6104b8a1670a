package io.quorate.api.batch;

import java.util.function.Function;

import io.quorate.api.body.AdmittedWork;
import io.quorate.api.body.AuthorizedCoordinator.KeyWrite;
import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.entity.EntityController;
import io.quorate.api.problem.Problem;
import io.quorate.api.request.ConsistencyParameters;
import io.quorate.api.watch.RequestMetrics;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ConditionFailedException;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Content;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.security.access.Caller.ReadableKey;
import io.quorate.security.access.Caller;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/**
 * The calls of the coordinator for the items of one batch. Each item is admitted as a
 * request of its own.
 *
 * @param coordinator does what the items ask for
 * @param admission admits each of them
 * @param terms the terms that hold for all
 * @param metrics measures the values
 * @param problems the problem that an error is for a client
 */
record BatchCalls(AuthorizedCoordinator coordinator, Admission admission, Terms terms, RequestMetrics metrics,
		Function<Throwable, Problem> problems) {

	/**
	 * Does one item. Starts when subscribed, one answer, never fails. Cancelling abandons
	 * a read; a write goes on.
	 */
	Mono<BatchAnswer> call(BatchItem item, RequestTimeline timeline) {
		return Mono.defer(() -> {
			requireTime();
			return switch (item) {
				case BatchItem.Put put -> put(put, timeline);
				case BatchItem.Get get -> get(get, timeline);
				case BatchItem.Delete delete -> delete(delete, timeline);
				case BatchItem.Touch touch -> touch(touch, timeline);
			};
		}).onErrorResume((error) -> Mono.just(failed(error)));
	}

	/** The answer to an item that has failed. */
	BatchAnswer failed(Throwable error) {
		return BatchAnswer.of(this.problems.apply(error));
	}

	/**
	 * Requires that the batch has time for one more item.
	 * @throws RefusedException when it has none
	 */
	void requireTime() {
		if (this.terms.deadline.isExpired()) {
			throw new RefusedException(Why.LATE, "the deadline of the batch had passed before this item began");
		}
	}

	private Mono<BatchAnswer> put(BatchItem.Put put, RequestTimeline timeline) {
		KeyWrite write = this.coordinator.writing(this.terms.caller, put.key(), put.condition(), put.once());
		Consistency consistency = consistency(put.condition() != null);
		Admission.Permit permit = this.admission.admit(put.value().sizeBytes());
		return AdmittedWork.handOver(permit, () -> {
			Value value = put.value().value();
			permit.tryHold(value.size());
			this.terms.caller.wrote(value.size());
			this.metrics.valueCame(value.size());
			return this.coordinator.put(write, new Content(value, put.contentType(), put.ttl()),
					this.terms.of(consistency, permit, timeline));
		}).map((written) -> BatchAnswer.of(HttpStatus.CREATED, written));
	}

	private Mono<BatchAnswer> delete(BatchItem.Delete delete, RequestTimeline timeline) {
		KeyWrite write = this.coordinator.writing(this.terms.caller, delete.key(), delete.condition(), delete.once());
		Consistency consistency = consistency(delete.condition() != null);
		Admission.Permit permit = this.admission.admit(0);
		return AdmittedWork
			.handOver(permit, () -> this.coordinator.delete(write, this.terms.of(consistency, permit, timeline)))
			.map((written) -> BatchAnswer.of(HttpStatus.ACCEPTED, written));
	}

	private Mono<BatchAnswer> touch(BatchItem.Touch touch, RequestTimeline timeline) {
		KeyWrite write = this.coordinator.writing(this.terms.caller, touch.key(), touch.condition());
		Consistency consistency = consistency(true);
		Admission.Permit permit = this.admission.admit(0);
		return AdmittedWork
			.handOver(permit,
					() -> this.coordinator.touch(write, touch.ttl(), this.terms.of(consistency, permit, timeline)))
			.onErrorMap(ConditionFailedException.class, EntityController::notTouched)
			.map(BatchAnswer::of);
	}

	private Mono<BatchAnswer> get(BatchItem.Get get, RequestTimeline timeline) {
		ReadableKey key = this.terms.caller.reading(get.key());
		Consistency consistency = consistency(get.isLinearizable());
		return Mono.using(() -> this.admission.admit(0),
				(permit) -> this.coordinator
					.read(key, get.isLinearizable(), this.terms.of(consistency, permit, timeline))
					.map((outcome) -> answer(get, outcome)),
				Admission.Permit::close);
	}

	private Consistency consistency(boolean isLinearizable) {
		return isLinearizable
				? ConsistencyParameters.ofAll(this.terms.consistency, this.coordinator.replicationFactor())
				: this.terms.consistency;
	}

	private BatchAnswer answer(BatchItem.Get get, ReadOutcome outcome) {
		return switch (outcome) {
			case ReadOutcome.Found(Entry.Live entry) -> answer(get, entry);
			case ReadOutcome.Missing missing ->
				BatchAnswer.of(EntityController.notFound(missing, get.isLinearizable()));
		};
	}

	private BatchAnswer answer(BatchItem.Get get, Entry.Live entry) {
		if (!get.preconditions().areMet(entry)) {
			return BatchAnswer.unchanged(entry);
		}
		this.metrics.valueGoes(entry.value().size());
		return BatchAnswer.of(entry);
	}

	/**
	 * The terms that hold for all items of a batch.
	 *
	 * @param consistency numbers of replicas
	 * @param deadline instant by which all of them end
	 * @param caller sender of the batch, who needs the right to each key
	 */
	record Terms(Consistency consistency, Deadline deadline, Caller caller) {

		private RequestContext of(Consistency itsConsistency, Admission.Permit permit, RequestTimeline timeline) {
			return new RequestContext(itsConsistency, this.deadline, permit, timeline);
		}

	}

}
