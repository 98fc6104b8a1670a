package io.quorate.api.transport;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.test.StepVerifier;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.http.server.reactive.ServerHttpResponse;

class AnswerOnEventLoopTests {

	private static final ExecutorService ELSEWHERE = Executors.newSingleThreadExecutor();

	/* Not before the event loop waits for the answer. */
	private static final Executor LATER = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, ELSEWHERE);

	@AfterAll
	static void stop() {
		ELSEWHERE.close();
	}

	@Test
	void answerBroughtByAnotherThreadIsWrittenOnTheEventLoop() {
		HttpHandler handler = (_, response) -> Mono.fromFuture(CompletableFuture.supplyAsync(() -> "value", LATER))
			.flatMap((_) -> writeThreadName(response));
		DisposableServer server = HttpServer.create()
			.host("127.0.0.1")
			.port(0)
			.handle(new ReactorHttpHandlerAdapter(new AnswerOnEventLoop().apply(handler)))
			.bindNow();
		try {
			StepVerifier
				.create(HttpClient.create()
					.get()
					.uri("http://127.0.0.1:" + server.port() + "/")
					.responseContent()
					.aggregate()
					.asString())
				.expectNextMatches((thread) -> thread.startsWith("reactor-http"))
				.verifyComplete();
		}
		finally {
			server.disposeNow();
		}
	}

	private static Mono<Void> writeThreadName(ServerHttpResponse response) {
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory()
			.wrap(Thread.currentThread().getName().getBytes(StandardCharsets.UTF_8))));
	}

}
