package io.quorate.client;

import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The form of the records of a range.
 *
 * @param <R> the kind of record
 */
final class RecordFormat<R> {

	static final RecordFormat<RangeRecord> VALUES = new RecordFormat<>(true, RecordFormat::record, RangeRecord::key);

	static final RecordFormat<KeyRecord> KEYS = new RecordFormat<>(false, RecordFormat::keyRecord, KeyRecord::key);

	static final RecordFormat<RangeLine> LINES = new RecordFormat<>(true, RecordFormat::line, RangeLine::key);

	static final RecordFormat<RangeLine> KEY_LINES = new RecordFormat<>(false, RecordFormat::line, RangeLine::key);

	private final boolean hasValues;

	private final BiFunction<Answer, Members, R> reader;

	private final Function<R, String> key;

	private RecordFormat(boolean hasValues, BiFunction<Answer, Members, R> reader, Function<R, String> key) {
		this.hasValues = hasValues;
		this.reader = reader;
		this.key = key;
	}

	boolean hasValues() {
		return this.hasValues;
	}

	R read(Answer answer, Members members) {
		return this.reader.apply(answer, members);
	}

	String key(R item) {
		return this.key.apply(item);
	}

	private static RangeRecord record(Answer answer, Members members) {
		if (!members.has("value")) {
			throw answer.invalid("with a record without a value, as ranges of keys have them");
		}
		byte[] value = members.bytes("value");
		return new RangeRecord(new Metadata(members.text("key"), members.text("etag"), value.length,
				members.text("contentType", Metadata.OCTETS), null, members.expires()), value);
	}

	private static RangeLine line(Answer answer, Members members) {
		return new RangeLine(members.text("key"), members.json());
	}

	private static KeyRecord keyRecord(Answer answer, Members members) {
		if (!members.has("size")) {
			throw answer.invalid("with a record without a size, as ranges of values have them");
		}
		return new KeyRecord(members.text("key"), members.text("etag"), members.number("size"), members.expires());
	}

}
