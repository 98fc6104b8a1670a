package io.quorate.api;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.transport.EntityPath;
import io.quorate.api.transport.PortTerms;
import io.quorate.api.transport.ScratchPorts;
import io.quorate.coordinator.ScratchCoordinator;
import io.quorate.coordinator.ValueLimit;
import io.quorate.operations.AdminPath;
import io.quorate.security.RefusalLog;
import io.quorate.security.access.Gate;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/**
 * Serves entities, ranges and batches of a coordinator that is not that of the node, for
 * a warm-up: on a port of its own on loopback, to requests without credentials, with
 * meters of its own, and without traces or lines in the log. Nothing of the node itself
 * can be asked for there.
 */
@Component
public final class ScratchApi {

	private static final WebHandler NOTHING_ELSE = (_) -> Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND));

	/* All other paths are about the node itself, and need rights on its own ports. */
	private static final WebFilter DATA_ALONE = (exchange, chain) -> {
		String path = exchange.getRequest().getPath().value();
		boolean isData = EntityPath.matches(path) || path.equals(RangeController.PATH)
				|| path.equals(BatchController.PATH);
		return isData ? chain.filter(exchange) : NOTHING_ELSE.handle(exchange);
	};

	private final ApiProperties properties;

	private final RequestTimeout timeout;

	private final ValueLimit limit;

	private final Shared shared;

	private final ScratchPorts ports;

	ScratchApi(ApiProperties properties, RequestTimeout timeout, ValueLimit limit, Shared shared, ScratchPorts ports) {
		this.properties = properties;
		this.timeout = timeout;
		this.limit = limit;
		this.shared = shared;
		this.ports = ports;
	}

	/** Opens a port that serves a coordinator until it is closed. */
	public Port open(ScratchCoordinator served, MeterRegistry meters) {
		return new Port(this.ports.open(handler(served, meters), terms(meters)));
	}

	private HttpHandler handler(ScratchCoordinator served, MeterRegistry meters) {
		RequestMetrics metrics = new RequestMetrics(meters);
		SlowRequests slow = new SlowRequests(Duration.ZERO, System::nanoTime);
		RequestObserver observer = new RequestObserver(metrics, slow, Traces.NONE);
		Shares shares = new Shares(served.admission());
		Outflows outflows = this.shared.outflows;
		BodyReader bodies = new BodyReader(shares, this.limit, this.properties, this.shared.sweep);
		AuthorizedCoordinator coordinator = new AuthorizedCoordinator(served.coordinator());
		EntityController entities = new EntityController(coordinator, shares, bodies, new ValueWriter(outflows),
				this.timeout);
		RangeController ranges = new RangeController(coordinator, shares, outflows, this.timeout, metrics);
		BatchController batches = new BatchController(coordinator, shares, bodies, this.timeout,
				new Batches(outflows, metrics, slow, this.properties, this.limit));
		AdminPath noEndpoints = new AdminPath("", false);
		Problems problems = new Problems(noEndpoints);
		return WebHttpHandlerBuilder.webHandler(NOTHING_ELSE)
			.filter(new ProtocolFilter(observer, noEndpoints, Gate.open(meters), new PathRights(noEndpoints), problems),
					DATA_ALONE,
					new ProtocolRouter(entities, ranges, batches, this.shared.consistency, this.shared.pages,
							noEndpoints))
			.exceptionHandler(problems)
			.build();
	}

	private PortTerms terms(MeterRegistry meters) {
		return new PortTerms(this.properties.maxConnections(),
				() -> new RefusalLog(ApiMeters.MALFORMED.counter(meters), System::nanoTime),
				ApiMeters.CONNECTIONS_REFUSED.counter(meters), new AtomicInteger(),
				this.properties.connectionLifetime(), null, new PortMeasures(meters), List.of(), () -> true);
	}

	/** A port that is open until it is closed. */
	public static final class Port implements AutoCloseable {

		private final ScratchPorts.Port port;

		private Port(ScratchPorts.Port port) {
			this.port = port;
		}

		/** The number of the port. */
		public int number() {
			return this.port.number();
		}

		@Override
		public void close() {
			this.port.close();
		}

	}

	/** The parts that it shares with the port of clients. */
	@Component
	static final class Shared {

		private final Outflows outflows;

		private final IdleSweep sweep;

		private final ConsistencyController consistency;

		private final Pages pages;

		Shared(Outflows outflows, IdleSweep sweep, ConsistencyController consistency, Pages pages) {
			this.outflows = outflows;
			this.sweep = sweep;
			this.consistency = consistency;
			this.pages = pages;
		}

	}

}
