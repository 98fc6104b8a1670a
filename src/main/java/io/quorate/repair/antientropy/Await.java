package io.quorate.repair.antientropy;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.quorate.clock.Deadline;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageOverloadedException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Waits for the answers of stores and peers, on threads that have nothing else to do. A
 * late answer, or a failure, is a {@link ComparisonFailedException}.
 */
final class Await {

	private Await() {
	}

	static <T> T forAnswer(Mono<ComparisonReply<T>> reply, Deadline deadline) {
		return switch (forIt(future(reply), deadline)) {
			case ComparisonReply.Answer<T>(var value) -> value;
			case ComparisonReply.Failed<T>(var failure) -> throw new ComparisonFailedException(failure);
		};
	}

	/** The future reply. */
	static <T> CompletableFuture<T> future(Mono<T> reply) {
		return reply.toFuture().thenApply(Objects::requireNonNull);
	}

	static <T> T forIt(CompletableFuture<T> future, Deadline deadline) {
		try {
			return future.get(Math.max(1, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException late) {
			throw failed(Reason.TIMEOUT, "no answer in time");
		}
		catch (InterruptedException stop) {
			Thread.currentThread().interrupt();
			throw failed(Reason.DRAINING, "this node stops");
		}
		catch (ExecutionException failure) {
			throw failed(reason(failure.getCause()), String.valueOf(failure.getMessage()));
		}
	}

	private static Reason reason(@Nullable Throwable cause) {
		return switch (cause) {
			case StorageOverloadedException _ -> Reason.OVERLOADED;
			case StorageCorruptedException _ -> Reason.CORRUPT;
			case null, default -> Reason.FAILED;
		};
	}

	static ComparisonFailedException failed(Reason reason, String detail) {
		return new ComparisonFailedException(new Failure(reason, detail));
	}

}
