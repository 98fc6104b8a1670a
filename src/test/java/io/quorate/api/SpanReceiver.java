package io.quorate.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;

/** Takes what is sent over OTLP and HTTP. */
public final class SpanReceiver implements AutoCloseable {

	private final HttpServer server;

	private final List<ResourceSpans> received = new CopyOnWriteArrayList<>();

	public SpanReceiver() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		this.server.createContext("/v1/traces", this::receive);
		this.server.start();
	}

	private void receive(HttpExchange exchange) throws IOException {
		try (exchange) {
			this.received.addAll(ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()).getResourceSpansList());
			exchange.sendResponseHeaders(200, -1);
		}
	}

	public String endpoint() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort() + "/v1/traces";
	}

	List<ResourceSpans> received() {
		return this.received;
	}

	/** The spans of a trace. */
	public List<Span> spans(String traceId) {
		return this.received.stream()
			.map(ResourceSpans::getScopeSpansList)
			.flatMap(List::stream)
			.map(ScopeSpans::getSpansList)
			.flatMap(List::stream)
			.filter((span) -> hex(span.getTraceId()).equals(traceId))
			.toList();
	}

	public static String hex(ByteString bytes) {
		return HexFormat.of().formatHex(bytes.toByteArray());
	}

	/** An attribute of a span, as text; empty when it has none of the name. */
	public static String attribute(Span span, String name) {
		return attribute(span.getAttributesList(), name);
	}

	static String attribute(List<KeyValue> attributes, String name) {
		return attributes.stream()
			.filter((attribute) -> attribute.getKey().equals(name))
			.map((attribute) -> attribute.getValue().hasIntValue() ? "" + attribute.getValue().getIntValue()
					: attribute.getValue().getStringValue())
			.findFirst()
			.orElse("");
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
