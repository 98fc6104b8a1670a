package io.quorate.operations;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quorate.repair.antientropy.StoreDigest.Digest;
import io.quorate.repair.antientropy.StoreDigest;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class DigestEndpointTests {

	private static final Digest DIGEST = new Digest(3, 1, "00000000000000ff");

	private final StoreDigest store = mock();

	private final DigestEndpoint endpoint = new DigestEndpoint(this.store);

	/** Each digest reads the whole store. */
	@Test
	void whileOneDigestIsReadAnotherIsRefused() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		given(this.store.read(null)).willAnswer((_) -> {
			begun.countDown();
			assertThat(mayEnd.await(10, TimeUnit.SECONDS)).isTrue();
			return DIGEST;
		});
		CompletableFuture<WebEndpointResponse<?>> first = CompletableFuture
			.supplyAsync(() -> this.endpoint.digest(null));
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.endpoint.digest(null).getStatus()).isEqualTo(409);
		assertThat(this.endpoint.digest("n1").getStatus()).isEqualTo(409);
		mayEnd.countDown();
		assertThat(first.get(10, TimeUnit.SECONDS).getBody()).isEqualTo(DIGEST);
		assertThat(this.endpoint.digest(null).getStatus()).isEqualTo(200);
	}

	@Test
	void aDigestThatFailsIsNotInTheWayOfTheNext() {
		given(this.store.read("n9")).willThrow(new IllegalArgumentException("n9 is no member"));
		given(this.store.read(null)).willReturn(DIGEST);
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> this.endpoint.digest("n9"))
			.withMessageContaining("n9 is no member");
		assertThat(this.endpoint.digest(null).getBody()).isEqualTo(DIGEST);
	}

}
