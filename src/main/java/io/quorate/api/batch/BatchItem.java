package io.quorate.api.batch;

import java.time.Duration;

import io.quorate.api.request.BatchOperation;
import io.quorate.api.request.Preconditions;
import io.quorate.entry.Condition;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;

/** One item of a batch: a request of its own. */
sealed interface BatchItem {

	/** The key that it concerns. */
	Key key();

	/** Its operation. */
	BatchOperation operation();

	/**
	 * Writes a value.
	 *
	 * @param value the value as it stands in its line
	 * @param contentType its media type, {@code null} for none
	 * @param ttl time after which it reads as absent, {@code null} for never
	 * @param condition its condition, {@code null} for a plain write
	 * @param once its idempotency key, {@code null} for none
	 */
	record Put(Key key, RawValue value, @Nullable ContentType contentType, @Nullable Duration ttl,
			@Nullable Condition condition, @Nullable String once) implements BatchItem {

		@Override
		public BatchOperation operation() {
			return BatchOperation.PUT;
		}

	}

	/**
	 * Reads a key.
	 *
	 * @param preconditions its preconditions
	 * @param isLinearizable whether it is read at one instant
	 */
	record Get(Key key, Preconditions preconditions, boolean isLinearizable) implements BatchItem {

		@Override
		public BatchOperation operation() {
			return BatchOperation.GET;
		}

	}

	/**
	 * Deletes a key.
	 *
	 * @param condition its condition, {@code null} for a plain write
	 * @param once its idempotency key, {@code null} for none
	 */
	record Delete(Key key, @Nullable Condition condition, @Nullable String once) implements BatchItem {

		@Override
		public BatchOperation operation() {
			return BatchOperation.DELETE;
		}

	}

	/**
	 * Renews the time to live of a value.
	 *
	 * @param ttl time after which it reads as absent
	 * @param condition its condition, at least that there is a value
	 */
	record Touch(Key key, Duration ttl, Condition condition) implements BatchItem {

		@Override
		public BatchOperation operation() {
			return BatchOperation.TOUCH;
		}

	}

	/**
	 * A value in its line, which is not copied until it is to be written.
	 *
	 * @param text the text
	 * @param isBase64 whether it stands for bytes, or is the value itself
	 */
	record RawValue(JsonText text, boolean isBase64) {

		/** Whether to copy it is more work than an event loop does in a turn. */
		boolean isLarge() {
			return this.text.sizeBytes() > BatchItemReader.LARGE_BYTES;
		}

		/** The most bytes that the value can have, nearly always just as many. */
		int sizeBytes() {
			return this.isBase64 ? this.text.decodedSizeBytes() : this.text.sizeBytes();
		}

		/**
		 * A copy of the value.
		 * @throws io.quorate.api.problem.ProblemException 400 when it is no base64
		 */
		Value value() {
			return Value.wrap(this.isBase64 ? this.text.decoded(BatchMember.VALUE.word()) : this.text.utf8());
		}

	}

}
