package io.quorate.storage.record;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Lineage;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.RandomLineages;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Reference;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EntryCodecTests {

	private final long seed = System.nanoTime();

	private final Random random = new Random(this.seed);

	@Test
	void anEntryIsReadBackAtAnyOffsetOfABuffer() {
		for (int i = 0; i < 20_000; i++) {
			StoredEntry entry = randomEntry();
			int at = this.random.nextInt(10);
			int size = EntryCodec.size(entry);
			ByteBuffer buffer = ByteBuffer.allocate(at + size + 5).position(at);
			EntryCodec.write(entry, buffer);
			assertThat(buffer.position()).as("seed %d", this.seed).isEqualTo(at + size);
			buffer.position(3);
			assertThat(EntryCodec.read(buffer, at, size)).as("seed %d", this.seed).isEqualTo(entry);
			assertThat(buffer.position()).isEqualTo(3);
		}
	}

	@Test
	void theBytesAreTheFormatOnDisk() {
		StoredEntry entry = new StoredEntry(0x0102030405060708L, new Timestamp(0x1112131415161718L, 0x21222324),
				0x3132333435363738L, 3, new Inline(Value.wrap(new byte[] { 0x41, 0x42 })));
		assertThat(bytes(entry)).asHexString()
			.isEqualTo("0403" + "0102030405060708" + "1112131415161718" + "21222324" + "3132333435363738" + "4142");
	}

	@Test
	void theContentTypeStandsBeforeThePayload() {
		StoredEntry entry = new StoredEntry(1, new Timestamp(2, 3), Versioned.NEVER, 3,
				new Inline(Value.wrap(new byte[] { 0x41 })), Extras.of(ContentType.of("a/b"), null));
		assertThat(bytes(entry)).asHexString()
			.isEqualTo("0803" + "0000000000000001" + "0000000000000002" + "00000003" + "03612F62" + "41");
		StoredEntry large = new StoredEntry(1, new Timestamp(2, 3), 4, 3, new Reference(5, 6, 7, 8),
				Extras.of(ContentType.of("a/b"), null));
		assertThat(bytes(large)).asHexString()
			.isEqualTo("0D03" + "0000000000000001" + "0000000000000002" + "00000003" + "0000000000000004" + "03612F62"
					+ "0000000000000005" + "0000000000000006" + "00000007" + "00000008");
	}

	@Test
	void theLineageStandsBehindTheExpiry() {
		String head = "03" + "0000000000000001" + "0000000000000002" + "00000003";
		assertThat(bytes(descended(Versioned.NEVER, new Lineage(new Timestamp(2, 3), Timestamp.ZERO)))).asHexString()
			.isEqualTo("18" + head + "02" + "0000000000000000" + "00000000" + "03612F62" + "41");
		assertThat(bytes(descended(4, new Lineage(new Timestamp(1, 5), new Timestamp(1, 4))))).asHexString()
			.isEqualTo("1C" + head + "0000000000000004" + "03" + "0000000000000001" + "00000005" + "0000000000000001"
					+ "00000004" + "03612F62" + "41");
		assertThat(bytes(descended(4, new Lineage(new Timestamp(1, 5), null)))).asHexString()
			.isEqualTo("1C" + head + "0000000000000004" + "01" + "0000000000000001" + "00000005" + "03612F62" + "41");
	}

	private static StoredEntry descended(long expiry, Lineage lineage) {
		return new StoredEntry(1, new Timestamp(2, 3), expiry, 3, new Inline(Value.wrap(new byte[] { 0x41 })),
				Extras.of(ContentType.of("a/b"), lineage));
	}

	@Test
	void nothingTakesMoreThanTheOverheadBesideItsValue() {
		for (int i = 0; i < 1000; i++) {
			StoredEntry entry = randomEntry();
			int inline = (entry.payload() instanceof Inline value) ? value.value().size() : 0;
			assertThat(EntryCodec.size(entry) - inline).isLessThanOrEqualTo(EntryCodec.MAX_OVERHEAD);
		}
	}

	@Test
	void cutBytesAreMalformedOrAShorterValue() {
		for (int i = 0; i < 2000; i++) {
			StoredEntry entry = randomEntry();
			byte[] bytes = bytes(entry);
			assertMalformedOrRead(Arrays.copyOf(bytes, this.random.nextInt(bytes.length)));
		}
	}

	@Test
	void anyBytesAreReadOrMalformedAndNothingElse() {
		for (int i = 0; i < 200_000; i++) {
			byte[] bytes = new byte[this.random.nextInt(80)];
			this.random.nextBytes(bytes);
			if (bytes.length > 0 && this.random.nextInt(4) > 0) {
				bytes[0] &= 0b1_1111;
			}
			assertMalformedOrRead(bytes);
		}
	}

	@Test
	void everyFlawIsNamed() {
		byte[] tombstone = bytes(new StoredEntry(1, Timestamp.ZERO, Versioned.NEVER, 1, Deleted.INSTANCE));
		assertMalformed(Arrays.copyOf(tombstone, 21), "an entry of 21 bytes, at least 22 expected");
		assertMalformed(withFlags(tombstone, 0b10_0000), "unknown flags 0x20");
		assertMalformed(withFlags(tombstone, 0b011), "a payload of 0 bytes, 1 expected");
		assertMalformed(withFlags(tombstone, 0b110), "too short for its expiry");
		assertMalformed(withFlags(tombstone, 0b001), "a payload of 0 bytes, 24 expected");
		assertMalformed(Arrays.copyOf(tombstone, 23), "a payload of 1 bytes, 0 expected");
		assertMalformed(withFlags(tombstone, 0b1010), "a tombstone with a content type");
	}

	@Test
	void aPromiseHasNothingThatAnEntryHas() {
		byte[] promise = bytes(StoredEntry.promised(new Timestamp(2, 3), true));
		for (int flags : new int[] { 0b111, 0b1011, 0b1_0011 }) {
			assertMalformed(withFlags(Arrays.copyOf(promise, 40), flags), "a promise with the flags 0x");
		}
		promise[promise.length - 1] = 2;
		assertMalformed(promise, "a promise with the payload 0x2");
	}

	@Test
	void everyFlawOfAContentTypeIsNamed() {
		byte[] entry = bytes(new StoredEntry(1, Timestamp.ZERO, Versioned.NEVER, 1, new Inline(Value.wrap(new byte[0])),
				Extras.of(ContentType.of("a/b"), null)));
		assertMalformed(Arrays.copyOf(entry, 22), "a content type of 0 bytes, 0 left");
		assertMalformed(Arrays.copyOf(entry, 25), "a content type of 3 bytes, 2 left");
		byte[] empty = entry.clone();
		empty[22] = 0;
		assertMalformed(empty, "a content type of 0 bytes, 3 left");
		byte[] longer = entry.clone();
		longer[22] = (byte) 255;
		assertMalformed(longer, "a content type of 255 bytes, 3 left");
		byte[] other = entry.clone();
		other[24] = '\n';
		assertMalformed(other, "malformed content type");
	}

	@Test
	void everyFlawOfALineageIsNamed() {
		byte[] entry = bytes(new StoredEntry(1, Timestamp.ZERO, Versioned.NEVER, 1, Deleted.INSTANCE,
				Extras.of(null, new Lineage(Timestamp.MAX, Timestamp.MAX))));
		for (int size = 22; size < entry.length; size++) {
			assertMalformed(Arrays.copyOf(entry, size), "a malformed lineage");
		}
		entry[22] = 0b1011;
		assertMalformed(entry, "unknown flags 0xb of a lineage");
	}

	@Test
	void everyFlawOfWritesToRepeatIsNamed() {
		IdempotencyKey key = new IdempotencyKey(1, 2);
		byte[] entry = bytes(new StoredEntry(1, Timestamp.ZERO, Versioned.NEVER, 1, Deleted.INSTANCE, Extras.of(null,
				new Lineage(Timestamp.ZERO, null, List.of(new Lineage.Repeatable(key, Timestamp.ZERO))))));
		for (int size = 22; size < entry.length; size++) {
			assertMalformed(Arrays.copyOf(entry, size), "a malformed lineage");
		}
		entry[23] = 0;
		assertMalformed(entry, "a lineage of 0 writes to repeat");
		entry[23] = 9;
		assertMalformed(entry, "a lineage of 9 writes to repeat");
	}

	private void assertMalformedOrRead(byte[] bytes) {
		try {
			StoredEntry entry = EntryCodec.read(ByteBuffer.wrap(bytes), 0, bytes.length);
			assertThat(EntryCodec.read(ByteBuffer.wrap(bytes(entry)), 0, EntryCodec.size(entry)))
				.as("seed %d", this.seed)
				.isEqualTo(entry);
		}
		catch (MalformedEntryException ex) {
			assertThat(ex).as("seed %d", this.seed)
				.hasMessageMatching(".*(entry|flags|kind|payload|content type|lineage).*");
		}
	}

	private static void assertMalformed(byte[] bytes, String message) {
		assertThatExceptionOfType(MalformedEntryException.class)
			.isThrownBy(() -> EntryCodec.read(ByteBuffer.wrap(bytes), 0, bytes.length))
			.withMessageContaining(message);
	}

	private static byte[] withFlags(byte[] bytes, int flags) {
		byte[] changed = bytes.clone();
		changed[0] = (byte) flags;
		return changed;
	}

	private StoredEntry randomEntry() {
		if (this.random.nextInt(4) == 0) {
			return StoredEntry
				.promised(new Timestamp(this.random.nextLong(), this.random.nextInt()), this.random.nextBoolean())
				.withSequence(this.random.nextLong());
		}
		Payload payload = switch (this.random.nextInt(3)) {
			case 0 -> Deleted.INSTANCE;
			case 1 -> new Reference(this.random.nextLong(), this.random.nextLong(), this.random.nextInt(),
					this.random.nextInt());
			default -> {
				byte[] value = new byte[this.random.nextInt(100)];
				this.random.nextBytes(value);
				yield new Inline(Value.wrap(value));
			}
		};
		long expiry = (payload == Deleted.INSTANCE || this.random.nextBoolean()) ? Versioned.NEVER
				: this.random.nextLong();
		Timestamp timestamp = new Timestamp(this.random.nextLong(), this.random.nextInt());
		return new StoredEntry(this.random.nextLong(), timestamp, expiry, this.random.nextInt(256), payload,
				Extras.of((payload == Deleted.INSTANCE) ? null : RandomContentTypes.next(this.random),
						RandomLineages.next(this.random, timestamp)));
	}

	private static byte[] bytes(StoredEntry entry) {
		byte[] bytes = new byte[EntryCodec.size(entry)];
		EntryCodec.write(entry, ByteBuffer.wrap(bytes));
		return bytes;
	}

}
