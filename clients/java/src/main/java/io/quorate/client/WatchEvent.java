package io.quorate.client;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An event of a watch. Of one key no older version comes behind a newer one; the last
 * version of each key comes at least once, and versions between may be left out.
 */
public sealed interface WatchEvent permits WatchEvent.Put, WatchEvent.Delete, WatchEvent.Live, WatchEvent.Stalled,
		WatchEvent.Gap, WatchEvent.Disconnected {

	/**
	 * Returns the place behind this event, at which a later watch goes on, in any client
	 * and at any node ({@link WatchOptions#fromCursor}). It is {@code null} for an event
	 * that is not the last of its batch: keep the place of an earlier one until then.
	 */
	@Nullable String cursor();

	/** A value that was written, or whose expiry was moved. */
	final class Put implements WatchEvent {

		private final String key;

		private final String etag;

		private final long size;

		private final @Nullable Instant expires;

		private final @Nullable String contentType;

		private final byte @Nullable [] value;

		private final @Nullable String cursor;

		Put(KeyRecord record, @Nullable String contentType, byte @Nullable [] value, @Nullable String cursor) {
			this.key = record.key();
			this.etag = record.etag();
			this.size = record.size();
			this.expires = record.expires();
			this.contentType = contentType;
			this.value = value;
			this.cursor = cursor;
		}

		/** Returns the key. */
		public String key() {
			return this.key;
		}

		/**
		 * Returns the version, an opaque text. A put with the version of one before is a
		 * repetition, or has another expiry.
		 */
		public String etag() {
			return this.etag;
		}

		/** Returns the number of bytes of the value. */
		public long size() {
			return this.size;
		}

		/**
		 * Returns the time from which the value reads as absent, {@code null} for never.
		 */
		public @Nullable Instant expires() {
			return this.expires;
		}

		/**
		 * Returns the media type; {@code null} if none was written, or without
		 * {@link #hasValue a value}.
		 */
		public @Nullable String contentType() {
			return this.contentType;
		}

		/**
		 * Returns {@code true} if the event has the value: the watch is one
		 * {@link WatchOptions#withValues() with values}, and this one has at most 64 KiB.
		 */
		public boolean hasValue() {
			return this.value != null;
		}

		/**
		 * Returns a copy of the value.
		 * @throws IllegalStateException if the event has none
		 */
		public byte[] value() {
			return present().clone();
		}

		/**
		 * Returns the value without a copy, read-only.
		 * @throws IllegalStateException if the event has none
		 */
		public ByteBuffer buffer() {
			return ByteBuffer.wrap(present()).asReadOnlyBuffer();
		}

		/**
		 * Returns the value as text, as {@link Entity#text()} does.
		 * @throws IllegalStateException if the event has none, or it is no text
		 */
		public String text() {
			return Text.of(present(), (this.contentType != null) ? this.contentType : Metadata.OCTETS);
		}

		private byte[] present() {
			if (this.value == null) {
				throw new IllegalStateException("the event has no value");
			}
			return this.value;
		}

		@Override
		public @Nullable String cursor() {
			return this.cursor;
		}

		@Override
		public String toString() {
			return "Put[" + this.key + ", " + this.etag + ", " + this.size + " bytes]";
		}

	}

	/**
	 * A value that was deleted, or has expired before its event was sent.
	 *
	 * @param key the key
	 * @param etag the version of the deletion
	 * @param cursor the place behind this event
	 */
	record Delete(String key, String etag, @Nullable String cursor) implements WatchEvent {
	}

	/**
	 * The word that all writes acknowledged before an instant have been reported. The
	 * first one is the end of the present state; further ones come every 15 seconds.
	 *
	 * @param asOf the instant
	 * @param cursor the place behind this event
	 */
	record Live(Instant asOf, @Nullable String cursor) implements WatchEvent {
	}

	/**
	 * The word that of some keys too few replicas are reached: what comes is true, and
	 * silence proves nothing until the next {@link Live}.
	 *
	 * @param members the members that are not reached
	 * @param cursor the place behind this event
	 */
	record Stalled(List<String> members, @Nullable String cursor) implements WatchEvent {

		/** Creates an event with a copy of the members. */
		public Stalled {
			members = List.copyOf(members);
		}

	}

	/**
	 * The word that the state may have changed unseen, because the place of the watch was
	 * lost. The present state follows, up to the next {@link Live}: a key that does not
	 * come until then has no value any more.
	 *
	 * @param cursor the place behind this event
	 */
	record Gap(@Nullable String cursor) implements WatchEvent {
	}

	/**
	 * The word that the client has lost its node, or has not found one. It goes on by
	 * itself and misses nothing, and silence proves nothing until the next {@link Live}.
	 *
	 * @param failure the node with the reason
	 */
	record Disconnected(FailedAttempt failure) implements WatchEvent {

		@Override
		public @Nullable String cursor() {
			return null;
		}

	}

}
