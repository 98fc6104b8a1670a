package io.quorate.api.body;

import java.util.function.Supplier;

import io.quorate.coordinator.Admission;
import reactor.core.publisher.Mono;

/** Work that holds a permit, which is released on every way out. Blocks nothing. */
public final class AdmittedWork {

	private AdmittedWork() {
	}

	/**
	 * Does work under a permit of its own, which is released when the work has completed,
	 * failed or been cancelled. Admits when subscribed.
	 */
	public static Mono<Void> run(Admission admission, long sizeBytes, Work work) {
		return Mono.using(() -> admission.admit(sizeBytes), work::with);
	}

	/**
	 * Makes a call that takes a permit over, and releases it only if the call itself
	 * fails.
	 */
	public static <T> Mono<T> handOver(Admission.Permit permit, Supplier<Mono<T>> call) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error failure) {
			permit.close();
			throw failure;
		}
	}

	/** Work under a permit. */
	public interface Work {

		Mono<Void> with(Admission.Permit permit);

	}

}
