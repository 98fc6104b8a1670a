package io.quorate.spring.boot.session;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * A session as it is stored: each attribute has bytes of its own, so that those of two
 * requests can be merged unread.
 *
 * <pre>
 * byte   version, 1
 * long   creation, milliseconds since 1970
 * long   longest time between two requests, seconds; negative: for ever
 * int    number of attributes, and of each
 *   int, bytes   name in UTF-8
 *   int, bytes   value
 * </pre>
 *
 * @param creation the time of its creation
 * @param interval the longest time between two requests
 * @param attributes the values by their names
 */
record StoredSession(Instant creation, Duration interval, Map<String, byte[]> attributes) {

	private static final int VERSION = 1;

	byte[] encode() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (DataOutputStream output = new DataOutputStream(bytes)) {
			output.writeByte(VERSION);
			output.writeLong(this.creation.toEpochMilli());
			output.writeLong(this.interval.toSeconds());
			output.writeInt(this.attributes.size());
			for (Map.Entry<String, byte[]> attribute : this.attributes.entrySet()) {
				write(output, attribute.getKey().getBytes(StandardCharsets.UTF_8));
				write(output, attribute.getValue());
			}
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		return bytes.toByteArray();
	}

	private static void write(DataOutputStream output, byte[] bytes) throws IOException {
		output.writeInt(bytes.length);
		output.write(bytes);
	}

	/**
	 * Reads a session.
	 * @throws IllegalArgumentException if the bytes are none
	 */
	static StoredSession decode(byte[] bytes) {
		try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes))) {
			if (input.readByte() != VERSION) {
				throw new IllegalArgumentException("the value is no session of a known version");
			}
			Instant creation = Instant.ofEpochMilli(input.readLong());
			Duration interval = Duration.ofSeconds(input.readLong());
			Map<String, byte[]> attributes = new TreeMap<>();
			for (int left = input.readInt(); left > 0; left--) {
				attributes.put(new String(read(input), StandardCharsets.UTF_8), read(input));
			}
			return new StoredSession(creation, interval, attributes);
		}
		catch (IOException failure) {
			throw new IllegalArgumentException("the value is no whole session", failure);
		}
	}

	private static byte[] read(DataInputStream input) throws IOException {
		int size = input.readInt();
		byte[] bytes = input.readNBytes(Math.max(0, Math.min(size, input.available())));
		if (bytes.length != size) {
			throw new IOException("its bytes end early");
		}
		return bytes;
	}

}
