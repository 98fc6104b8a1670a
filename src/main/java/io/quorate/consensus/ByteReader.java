package io.quorate.consensus;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of {@link ConsensusCodec}, of bytes that may be anything: nothing is
 * allocated by a length that the bytes cannot have.
 */
final class ByteReader {

	private final ByteBuffer source;

	private ByteReader(ByteBuffer source) {
		this.source = source;
	}

	/**
	 * Reads all bytes of a buffer, whose position stays.
	 * @throws MalformedBytesException when too few bytes are there, or too many, or a
	 * part is not what it has to be
	 */
	static <T> T readAll(ByteBuffer source, Function<ByteReader, T> form) {
		ByteReader reader = new ByteReader(source.slice());
		try {
			T read = form.apply(reader);
			if (reader.source.hasRemaining()) {
				throw new MalformedBytesException("%d bytes too many".formatted(reader.source.remaining()));
			}
			return read;
		}
		catch (BufferUnderflowException tooShort) {
			throw new MalformedBytesException("the bytes end too early", tooShort);
		}
		catch (IllegalArgumentException wrong) {
			throw new MalformedBytesException(String.valueOf(wrong.getMessage()), wrong);
		}
	}

	int number1() {
		return Byte.toUnsignedInt(this.source.get());
	}

	long number8() {
		return this.source.getLong();
	}

	UUID id() {
		return new UUID(number8(), number8());
	}

	Ballot ballot() {
		return new Ballot(number8(), id());
	}

	Decree decree() {
		return Decree.copyOf(bytes(this.source.getInt()));
	}

	Decision decision() {
		return new Decision(number8(), decree());
	}

	Decisions decisions() {
		int count = number1();
		List<Decision> all = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			all.add(decision());
		}
		return new Decisions(all);
	}

	@Nullable Vote vote() {
		return switch (number1()) {
			case 0 -> null;
			case 1 -> new Vote(ballot(), decree());
			default -> throw new MalformedBytesException("neither a vote nor none");
		};
	}

	Voter voter() {
		byte[] id = bytes(number1());
		try {
			return new Voter(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(id)).toString(), id());
		}
		catch (CharacterCodingException wrong) {
			throw new MalformedBytesException("the id of a voter is not UTF-8", wrong);
		}
	}

	private byte[] bytes(int length) {
		if (length < 0 || length > this.source.remaining()) {
			throw new MalformedBytesException(
					"a part of %d bytes, of which %d are there".formatted(length, this.source.remaining()));
		}
		byte[] part = new byte[length];
		this.source.get(part);
		return part;
	}

}
