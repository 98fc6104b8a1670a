package io.quorate.api;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class PlainTokensTests {

	private static final String SAID = " sends a token without TLS";

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final PlainTokens tokens = new PlainTokens(this.nanos::get);

	private void sent(String url, String from) {
		this.tokens.sent(MockServerHttpRequest.get(url).remoteAddress(new InetSocketAddress(from, 4711)).build());
	}

	@Test
	void aTokenOfAnotherMachineWithoutTlsIsNotedOnceAnHour(CapturedOutput output) {
		sent("http://node/v0/status", "10.1.2.3");
		assertThat(output).containsOnlyOnce(SAID).contains("10.1.2.3" + SAID);
		this.nanos.addAndGet(Duration.ofMinutes(59).toNanos());
		sent("http://node/v0/status", "10.1.2.4");
		assertThat(output).doesNotContain("10.1.2.4");
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		sent("http://node/v0/status", "10.1.2.5");
		assertThat(output).contains("10.1.2.5" + SAID);
	}

	@Test
	void neitherLoopbackNorTlsIsNoted(CapturedOutput output) {
		sent("http://node/v0/status", "127.0.0.1");
		sent("http://node/v0/status", "::1");
		sent("https://node/v0/status", "10.1.2.3");
		this.tokens.sent(MockServerHttpRequest.get("http://node/v0/status").build());
		assertThat(output).doesNotContain(SAID);
	}

}
