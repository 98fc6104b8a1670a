package io.quorate.entry;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The media type that a client has given a value: 1 to {@value #MAX_SIZE_BYTES} visible
 * ASCII characters and spaces, kept as they were sent. Nothing else is required of it
 * here: a peer or a file may have any.
 */
public final class ContentType implements Comparable<ContentType> {

	/** The longest content type in bytes. */
	public static final int MAX_SIZE_BYTES = 255;

	/** The order of content types, in which none is before all. */
	public static final Comparator<@Nullable ContentType> ORDER = Comparator.nullsFirst(Comparator.naturalOrder());

	/*
	 * The latest ones, each at a place by its hash: most values have one of a few types,
	 * which then costs no object for each entry that is read. Threads may overwrite each
	 * other's: the objects are immutable, and one that is not found is made again.
	 */
	private static final @Nullable ContentType[] LATEST = new ContentType[256];

	private final byte[] bytes;

	private final String text;

	private ContentType(byte[] bytes) {
		this.bytes = bytes;
		this.text = new String(bytes, StandardCharsets.ISO_8859_1);
	}

	/**
	 * The content type of these bytes, which must not be changed any more.
	 * @throws IllegalArgumentException when there are none, too many or other bytes than
	 * visible ASCII characters and spaces
	 */
	public static ContentType wrap(byte[] bytes) {
		int place = 0;
		for (byte each : bytes) {
			place = 31 * place + each;
		}
		place &= LATEST.length - 1;
		ContentType latest = LATEST[place];
		if (latest != null && Arrays.equals(latest.bytes, bytes)) {
			return latest;
		}
		requireAllowed(bytes);
		ContentType made = new ContentType(bytes);
		LATEST[place] = made;
		return made;
	}

	/**
	 * The content type of a text.
	 * @throws IllegalArgumentException as {@link #wrap} does
	 */
	public static ContentType of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	private static void requireAllowed(byte[] bytes) {
		if (bytes.length == 0 || bytes.length > MAX_SIZE_BYTES) {
			throw new IllegalArgumentException(
					"a content type has 1 to %d bytes, not %d".formatted(MAX_SIZE_BYTES, bytes.length));
		}
		for (byte each : bytes) {
			if (each < ' ' || each > '~') {
				throw new IllegalArgumentException("a content type with byte %#x".formatted(each));
			}
		}
	}

	/** Number of bytes. */
	public int size() {
		return this.bytes.length;
	}

	/** The bytes themselves, not a copy: they must not be changed. */
	public byte[] array() {
		return this.bytes;
	}

	@Override
	public int compareTo(ContentType other) {
		return this.text.compareTo(other.text);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof ContentType type && this.text.equals(type.text));
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	/** The characters. */
	@Override
	public String toString() {
		return this.text;
	}

}
