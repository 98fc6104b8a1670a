package io.quorate.load;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import org.jspecify.annotations.Nullable;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;

/**
 * What all simulations share: a cluster, unless they are told where one is; its keys,
 * written before anything is measured; and a warm-up that is in no report. A virtual user
 * is one request; they share connections, and one more is opened whenever none is free,
 * so no request waits for the answer of another.
 */
abstract class LoadSimulation extends Simulation {

	static final String TIMEOUT_HEADER = "Quorate-Timeout";

	private final Options options = Options.ofSystemProperties();

	private final Keys keys;

	private final Requests requests;

	private final Credentials credentials;

	private @Nullable LocalCluster cluster;

	/**
	 * With nothing to measure yet.
	 * @param keys which no simulation shares that has values of another size
	 * @param valueSize bytes of each value
	 */
	LoadSimulation(Function<Options, Keys> keys, ToIntFunction<Options> valueSize) {
		this.keys = keys.apply(this.options);
		this.credentials = Credentials.of(this.options);
		this.requests = Requests.of(valueSize.applyAsInt(this.options), this.options);
	}

	@Override
	public void before() {
		if (this.options.urls().isEmpty()) {
			this.cluster = LocalCluster.start(this.options, ownData());
		}
		List<String> urls = urls();
		System.out.println("Writes " + this.keys.count() + " keys to " + urls + " ...");
		new Prefill(urls, this.credentials, this.options::quorum, this.requests.value().bytes()).write(this.keys);
	}

	@Override
	public void after() {
		if (this.cluster != null) {
			this.cluster.stop();
		}
	}

	final Options options() {
		return this.options;
	}

	final Keys keys() {
		return this.keys;
	}

	final Requests requests() {
		return this.requests;
	}

	/** Where requests are sent to, in turn. */
	List<String> urls() {
		return this.options.urls().isEmpty() ? LocalCluster.urls(this.options) : this.options.urls();
	}

	/** Directory of the cluster, whoever runs it. */
	final Path clusterData() {
		Path told = this.options.clusterData();
		if (told != null) {
			return told;
		}
		if (!this.options.urls().isEmpty()) {
			throw new IllegalArgumentException("-Dload.cluster-data must name the directory of the cluster at "
					+ this.options.urls() + ", the --data of its bin/cluster");
		}
		return ownData();
	}

	private HttpProtocolBuilder protocol() {
		return http.baseUrls(urls())
			.shareConnections()
			.disableUrlEncoding()
			.disableCaching()
			.disableFollowRedirect()
			.disableWarmUp()
			.headers(this.credentials.fields())
			.header(TIMEOUT_HEADER, Integer.toString(this.options.timeoutMillis()))
			.userAgentHeader("gatling");
	}

	/** How to draw, unless properties say otherwise. */
	final Keys.Draw draw(double zipf, double reads) {
		Double zipfTold = this.options.zipf();
		Double readsTold = this.options.reads();
		return new Keys.Draw((zipfTold != null) ? zipfTold : zipf, (readsTold != null) ? readsTold : reads, 1,
				this.options.seed());
	}

	/**
	 * Sets up a warm-up at a rate, if there is to be one, and behind it what is measured.
	 */
	final SetUp measure(double rate, ChainBuilder silent, PopulationBuilder... measured) {
		if (this.options.warmUpSeconds() == 0) {
			return setUp(measured).protocols(protocol());
		}
		return setUp(scenario("warm-up").exec(silent)
			.injectOpen(constantUsersPerSec(rate).during(this.options.warmUpSeconds()))
			.andThen(measured)).protocols(protocol());
	}

	static Assertion nothingFails() {
		return global().failedRequests().count().is(0L);
	}

	/**
	 * That as much was answered as the rate asks for, but for rounding: without it a
	 * simulation that sends nothing would succeed.
	 */
	final Assertion everythingIsSent(double rate) {
		return global().successfulRequests().count().gte((long) (rate * this.options.seconds() * 0.99));
	}

	private Path ownData() {
		return Path.of("target", "load", "cluster", getClass().getSimpleName());
	}

	/** No phase: the name of a request is that of its method. */
	static Supplier<String> noPhase() {
		return () -> "";
	}

}
