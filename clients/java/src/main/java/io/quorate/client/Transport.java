package io.quorate.client;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

/** The HTTP client of the JDK, with the threads, the places and the token of a client. */
final class Transport {

	private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");

	static final String USER_AGENT = "quorate-java/" + version() + " java/" + Runtime.version().feature();

	private static final AtomicInteger NUMBER = new AtomicInteger();

	/* Java 21 and later. */
	private static final @Nullable MethodHandle SHUTDOWN = shutdown();

	private static final int MOST_WAITING = 10_000;

	private final Timer timer;

	private final ThreadPoolExecutor io;

	private final ThreadPoolExecutor sources;

	private final Places places;

	private final Token token;

	private final Executor callbacks;

	/* Nodes of which a warning was logged. */
	private final Set<String> exposed = ConcurrentHashMap.newKeySet();

	private volatile @Nullable HttpClient http;

	Transport(@Nullable SSLContext trust, int connections, Token token, Executor callbacks, Duration connectTimeout) {
		this(trust, connections, token, callbacks, connectTimeout,
				threads("quorate-client-" + NUMBER.incrementAndGet()), ThreadTimer::new);
	}

	Transport(@Nullable SSLContext trust, int connections, Token token, Executor callbacks, Duration connectTimeout,
			ThreadFactory threads, Function<ThreadFactory, Timer> timer) {
		this.timer = timer.apply(threads);
		this.places = new Places(connections, MOST_WAITING);
		// Bounded by the requests under way: the JDK has some tasks for each of them. One
		// that waits for a name server holds none of the others back.
		this.io = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
		// Not the threads of the caller, which may all wait for this client. Calls wait
		// for their token before they have a place: so the number has a bound of its own.
		this.sources = new ThreadPoolExecutor(connections, connections, 1, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threads);
		this.sources.allowCoreThreadTimeOut(true);
		this.token = token;
		this.callbacks = callbacks;
		HttpClient.Builder builder = HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.followRedirects(HttpClient.Redirect.NEVER)
			.proxy(HttpClient.Builder.NO_PROXY)
			.connectTimeout(connectTimeout)
			.executor(this.io);
		if (trust != null) {
			builder.sslContext(trust);
		}
		this.http = builder.build();
	}

	/**
	 * Logs a warning, once, for each node to which a token would go without encryption.
	 */
	void checkExposure(Nodes nodes) {
		if (this.token.isThere()) {
			nodes.urls()
				.stream()
				.filter(Transport::isTokenExposedTo)
				.filter(this.exposed::add)
				.forEach((url) -> Core.log()
					.log(Level.WARNING, "{0}: the token is sent without encryption, use https", url));
		}
	}

	/* No name server is asked: its answer proves nothing about the way of the token. */
	static boolean isTokenExposedTo(String url) {
		URI uri = URI.create(url);
		return "http".equals(uri.getScheme()) && !LOOPBACK.matcher(uri.getHost()).matches();
	}

	static ThreadFactory threads(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	private static String version() {
		String version = Transport.class.getPackage().getImplementationVersion();
		return (version != null) ? version : "development";
	}

	private static @Nullable MethodHandle shutdown() {
		try {
			return MethodHandles.publicLookup()
				.findVirtual(HttpClient.class, "shutdownNow", MethodType.methodType(void.class));
		}
		catch (NoSuchMethodException | IllegalAccessException failure) {
			return null;
		}
	}

	Places places() {
		return this.places;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	CompletableFuture<@Nullable String> token() {
		return this.token.present(this.sources);
	}

	<T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
		HttpClient client = this.http;
		if (client == null) {
			return CompletableFuture.failedFuture(new IllegalStateException("the client is closed"));
		}
		return client.sendAsync(request, handler);
	}

	/** Runs an action later, unless the client is closed by then. */
	Future<?> schedule(Runnable action, long nanos) {
		return this.timer.schedule(action, nanos);
	}

	/** Returns the nanoseconds since some instant. */
	long nanos() {
		return this.timer.nanos();
	}

	/**
	 * Ends all connections and threads. Before Java 21 the JDK has no method for it: it
	 * ends its thread, and the idle connections, when the garbage collector has found
	 * that no one refers to the client.
	 */
	void close() {
		HttpClient client = this.http;
		this.http = null;
		this.timer.end();
		this.sources.shutdownNow();
		if (client != null && SHUTDOWN != null) {
			try {
				SHUTDOWN.invoke(client);
			}
			catch (RuntimeException | Error failure) {
				throw failure;
			}
			catch (Throwable failure) {
				throw new IllegalStateException("the HTTP client of the JDK does not end", failure);
			}
		}
	}

}
