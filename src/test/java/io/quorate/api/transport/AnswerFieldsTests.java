package io.quorate.api.transport;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AnswerFieldsTests {

	private long millis = 784_111_777_000L;

	private final EmbeddedChannel channel = new EmbeddedChannel(new AnswerFields(() -> this.millis));

	@AfterEach
	void end() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void anAnswerHasTheDateOfItsSecond() {
		assertThat(answer(HttpResponseStatus.OK).get("Date")).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
		this.millis += 999;
		assertThat(answer(HttpResponseStatus.NOT_FOUND).get("Date")).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
		this.millis += 1;
		assertThat(answer(HttpResponseStatus.OK).get("Date")).isEqualTo("Sun, 06 Nov 1994 08:49:38 GMT");
		this.millis -= 3_600_000;
		assertThat(answer(HttpResponseStatus.OK).get("Date")).isEqualTo("Sun, 06 Nov 1994 07:49:38 GMT");
	}

	@Test
	void noPageOfAnotherOriginEmbedsAnAnswer() {
		assertThat(answer(HttpResponseStatus.OK).get("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
	}

	@Test
	void anAnswerThatIsFollowedByAnotherHasNoFields() {
		assertThat(answer(HttpResponseStatus.CONTINUE)).isEmpty();
	}

	private HttpHeaders answer(HttpResponseStatus status) {
		this.channel.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, status));
		HttpResponse written = this.channel.readOutbound();
		return written.headers();
	}

}
