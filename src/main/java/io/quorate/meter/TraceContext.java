package io.quorate.meter;

import java.util.HexFormat;

/**
 * A place in a trace that is sampled: the span of a coordinator, below which replicas add
 * theirs. Source: W3C Trace Context.
 *
 * @param traceIdHigh upper half of the trace's id
 * @param traceIdLow lower half of the trace's id
 * @param spanId id of the span
 */
public record TraceContext(long traceIdHigh, long traceIdLow, long spanId) {

	private static final int HALF = 16;

	private static final int WHOLE = 32;

	/**
	 * The place of two ids.
	 * @param traceId 32 hexadecimal digits
	 * @param spanId 16 hexadecimal digits
	 */
	public static TraceContext of(String traceId, String spanId) {
		return new TraceContext(HexFormat.fromHexDigitsToLong(traceId, 0, HALF),
				HexFormat.fromHexDigitsToLong(traceId, HALF, WHOLE), HexFormat.fromHexDigitsToLong(spanId));
	}

	/** The trace's id in 32 hexadecimal digits. */
	public String traceId() {
		return HexFormat.of().toHexDigits(this.traceIdHigh) + HexFormat.of().toHexDigits(this.traceIdLow);
	}

	/** The span's id in 16 hexadecimal digits. */
	public String parentId() {
		return HexFormat.of().toHexDigits(this.spanId);
	}

}
