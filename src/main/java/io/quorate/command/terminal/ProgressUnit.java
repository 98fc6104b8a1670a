package io.quorate.command.terminal;

import java.util.Locale;

/** The things that a progress counts, as text. Immutable. */
public interface ProgressUnit {

	/** Bytes, in the decimal units of disks and networks. */
	ProgressUnit BYTES = new ByteUnit();

	/** Whole things with a name. */
	static ProgressUnit of(String noun) {
		return new ProgressUnit() {

			@Override
			public String amount(long count) {
				return String.format(Locale.ROOT, "%,d %s", count, noun);
			}

			@Override
			public String rate(double perSecond) {
				return String.format(Locale.ROOT, "%,.0f/s", perSecond);
			}

		};
	}

	/** So many of them. */
	String amount(long count);

	/** So many of them a second. */
	String rate(double perSecond);

	/** Bytes. */
	final class ByteUnit implements ProgressUnit {

		private static final String[] PREFIXES = { "", "k", "M", "G", "T" };

		private static final double STEP = 1_000;

		/* From here on one digit behind the point would make it 1000.0. */
		private static final double ROUNDED_UP = 999.95;

		private ByteUnit() {
		}

		@Override
		public String amount(long count) {
			return text((double) count);
		}

		@Override
		public String rate(double perSecond) {
			return text(perSecond) + "/s";
		}

		private static String text(double bytes) {
			double rest = bytes;
			int prefix = 0;
			while (rest >= ((prefix == 0) ? STEP : ROUNDED_UP) && prefix < PREFIXES.length - 1) {
				rest /= STEP;
				prefix++;
			}
			return String.format(Locale.ROOT, (prefix == 0) ? "%.0f %sB" : "%.1f %sB", rest, PREFIXES[prefix]);
		}

	}

}
