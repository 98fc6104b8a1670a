package io.quorate.api.transport;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.util.AsciiString;
import io.quorate.clock.TimeSource;

/**
 * Adds the header fields that every answer of a port has, refusals by the codec included:
 * its date (RFC 9110, 6.6.1), and that no page of another origin may embed it. The text
 * of the date is made once a second. Safe for any number of event loops.
 */
@Sharable
final class AnswerFields extends ChannelDuplexHandler {

	private static final AsciiString RESOURCE_POLICY = AsciiString.cached("cross-origin-resource-policy");

	private static final AsciiString SAME_ORIGIN = AsciiString.cached("same-origin");

	private static final DateTimeFormatter DATE = DateTimeFormatter
		.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ROOT)
		.withZone(ZoneOffset.UTC);

	private final TimeSource clock;

	private volatile Second second = Second.of(0);

	AnswerFields(TimeSource clock) {
		this.clock = clock;
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof HttpResponse response
				&& response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
			HttpHeaders headers = response.headers();
			headers.set(HttpHeaderNames.DATE, date());
			headers.set(RESOURCE_POLICY, SAME_ORIGIN);
		}
		var _ = context.write(message, promise);
	}

	private AsciiString date() {
		long now = Math.floorDiv(this.clock.millis(), 1000);
		Second last = this.second;
		if (last.number != now) {
			last = Second.of(now);
			this.second = last;
		}
		return last.text;
	}

	/**
	 * A second of the clock.
	 *
	 * @param number seconds since the epoch
	 * @param text its date
	 */
	private record Second(long number, AsciiString text) {

		static Second of(long number) {
			return new Second(number, AsciiString.of(DATE.format(Instant.ofEpochSecond(number))));
		}

	}

}
