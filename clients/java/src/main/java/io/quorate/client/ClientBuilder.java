package io.quorate.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

/** A builder of clients. */
public final class ClientBuilder {

	private static final Pattern COMMA = Pattern.compile(",");

	private static final int CONNECTIONS = 64;

	private List<String> endpoints = List.of("http://localhost:8080");

	private Token token = Token.none();

	private @Nullable SSLContext trust;

	private int connections = CONNECTIONS;

	private @Nullable Duration connectTimeout;

	private boolean shuffles = true;

	private CallOptions options = CallOptions.DEFAULTS;

	private Executor executor = ForkJoinPool.commonPool();

	private final List<CallObserver> observers = new ArrayList<>();

	ClientBuilder() {
	}

	/**
	 * Sets the nodes; by default {@code http://localhost:8080} alone.
	 * @param urls the nodes, such as {@code http://10.0.0.1:8080}; also several in one
	 * text with commas between them
	 */
	public ClientBuilder endpoints(String... urls) {
		return endpoints(List.of(urls));
	}

	/**
	 * Sets the nodes.
	 * @param urls the nodes, such as {@code http://10.0.0.1:8080}
	 * @throws IllegalArgumentException if one is no URL of a node, or there is none
	 */
	public ClientBuilder endpoints(List<String> urls) {
		this.endpoints = Nodes.checked(urls.stream().flatMap(COMMA::splitAsStream));
		return this;
	}

	/**
	 * Takes the nodes, the token file and the authority from the variables of the
	 * environment that the command has, too: {@code QUORATE_ENDPOINTS},
	 * {@code QUORATE_TOKEN_FILE} and {@code QUORATE_CA}. Those that are not set change
	 * nothing.
	 */
	public ClientBuilder environment() {
		return environment(System.getenv());
	}

	ClientBuilder environment(Map<String, String> variables) {
		String urls = variables.getOrDefault("QUORATE_ENDPOINTS", "");
		String file = variables.getOrDefault("QUORATE_TOKEN_FILE", "");
		String authority = variables.getOrDefault("QUORATE_CA", "");
		if (!urls.isEmpty()) {
			endpoints(urls);
		}
		if (!file.isEmpty()) {
			tokenFile(Path.of(file));
		}
		if (!authority.isEmpty()) {
			authority(Path.of(authority));
		}
		return this;
	}

	/**
	 * Sets the token to send.
	 * @param text the token
	 */
	public ClientBuilder token(String text) {
		this.token = Token.of(text);
		return this;
	}

	/**
	 * Sets the source of the token, which the client asks before each request.
	 * @param source the source; it may block, and runs on threads of the client, at most
	 * as many at once as there are {@link #connections connections}
	 */
	public ClientBuilder token(Supplier<String> source) {
		this.token = Token.of(source);
		return this;
	}

	/**
	 * Sets a file with the token. The client reads it again when it changes.
	 * @param file the file
	 */
	public ClientBuilder tokenFile(Path file) {
		this.token = Token.of(file);
		return this;
	}

	/**
	 * Sets the authority of the nodes' certificates, in place of those of the JDK.
	 * @param file a file with its certificates, PEM
	 */
	public ClientBuilder authority(Path file) {
		this.trust = Trust.of(file);
		return this;
	}

	/**
	 * Sets a context of TLS, for instance with a certificate of the client.
	 * @param context the context
	 */
	public ClientBuilder sslContext(SSLContext context) {
		this.trust = context;
		return this;
	}

	/**
	 * Sets the most requests under way at once, each with a connection of its own; by
	 * default 64. A call that finds no place waits for one, up to its deadline.
	 * @param most the number, of all nodes together
	 */
	public ClientBuilder connections(int most) {
		if (most < 1) {
			throw new IllegalArgumentException("connections must be at least 1, not " + most);
		}
		this.connections = most;
		return this;
	}

	/**
	 * Sets the longest time until a node takes a connection; by default the
	 * {@link CallOptions#stallTimeout stall timeout}, which ends an attempt in any case.
	 * @param time the time
	 */
	public ClientBuilder connectTimeout(Duration time) {
		this.connectTimeout = CallOptions.positive(time);
		return this;
	}

	/**
	 * Sets the first node to ask: a random one, so that many clients do not all use the
	 * first one, or the first one.
	 * @param shuffles {@code true} for a random one, as it is by default
	 */
	public ClientBuilder shuffle(boolean shuffles) {
		this.shuffles = shuffles;
		return this;
	}

	/**
	 * Changes the options of all calls.
	 * @param changes the changes, such as {@code (options) -> options.ack(2)}
	 */
	public ClientBuilder options(UnaryOperator<CallOptions> changes) {
		this.options = changes.apply(this.options);
		return this;
	}

	/**
	 * Sets the threads on which futures complete and subscribers get records; by default
	 * the common pool.
	 * @param threads the threads; not an executor that runs a task in the thread which
	 * hands it over, because what blocks there stops the connections of the client, and
	 * none that drops tasks, because their futures and subscribers never end
	 */
	public ClientBuilder executor(Executor threads) {
		this.executor = threads;
		return this;
	}

	/**
	 * Adds an observer of all calls.
	 * @param observer the observer
	 */
	public ClientBuilder observer(CallObserver observer) {
		this.observers.add(observer);
		return this;
	}

	/** Builds a synchronous client. */
	public QuorateClient build() {
		return new QuorateClient(core());
	}

	/** Builds an asynchronous client. */
	public QuorateAsyncClient buildAsync() {
		return new QuorateAsyncClient(core());
	}

	private Core core() {
		Core core = unwarnedCore();
		core.transport().checkExposure(core.nodes());
		return core;
	}

	/** Builds the calls without a look at the way of the token. */
	Core unwarnedCore() {
		Nodes nodes = new Nodes(this.endpoints, this.shuffles);
		Duration connect = (this.connectTimeout != null) ? this.connectTimeout : this.options.stallTimeout();
		Transport transport = new Transport(this.trust, this.connections, this.token, this.executor, connect);
		return new Core(nodes, transport, this.options, this.observers);
	}

	@Override
	public String toString() {
		return "ClientBuilder[" + this.endpoints.size() + " endpoints, " + this.token + "]";
	}

}
