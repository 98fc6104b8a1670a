package io.quorate.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.quorate.QuorateApplication;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * The ceiling: reactor-netty alone, answering {@code PUT} and {@code GET} of
 * {@code /v0/entity?id=...} from a map, with the event loops of a node. Whatever a node
 * takes beyond this is its own.
 */
final class BareServer {

	private static final byte[] NOTHING = new byte[0];

	private final Map<String, byte[]> values = new ConcurrentHashMap<>();

	private BareServer() {
	}

	static void main(String[] args) {
		QuorateApplication.tuneNetty();
		BareServer answers = new BareServer();
		DisposableServer server = HttpServer.create()
			.host("127.0.0.1")
			.port(Integer.parseInt(args[0]))
			.handle(answers::answer)
			.bindNow();
		server.onDispose().block();
	}

	private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
		String id = request.uri();
		return request.method().equals(HttpMethod.PUT) ? put(id, request, response) : get(id, response);
	}

	private Publisher<Void> put(String id, HttpServerRequest request, HttpServerResponse response) {
		return request.receive().aggregate().asByteArray().defaultIfEmpty(NOTHING).flatMap((value) -> {
			this.values.put(id, value);
			return response.status(HttpResponseStatus.CREATED).header("Content-Length", "0").send().then();
		});
	}

	private Publisher<Void> get(String id, HttpServerResponse response) {
		byte[] value = this.values.get(id);
		if (value == null) {
			return response.sendNotFound();
		}
		return response.header("Content-Type", "application/octet-stream")
			.header("Content-Length", Integer.toString(value.length))
			.sendByteArray(Mono.just(value));
	}

}
