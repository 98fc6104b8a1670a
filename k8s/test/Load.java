import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Writes and reads through one address at a constant rate until a file is there, then reads every key once more: k8s/test/run
 * starts it. Each worker has its own keys, and knows what they must hold: what was acknowledged last, or any write since then
 * whose outcome the worker was not told. No request is repeated, also not by the JDK's client, and none asks for more time than a
 * user gets: the deadline is the server's default.
 *
 * Arguments: URL, requests a second, file that ends it, `strict` (any answer that is not right is a failure) or `tolerant`
 * (requests may fail, but no read may be wrong and no acknowledged write may be lost), and then, if clients need them, a file with a
 * token and one with the certificate of the authority that is trusted for HTTPS. Exit code 1 after a failure.
 */
private static final int WORKERS = 10;

private static final int KEYS = 40;

private static final int ATTEMPTS = 30;

private static final int SIZE = 500;

/* Longer than the server's deadline, which is the one that counts: a node that says nothing by then does not answer at all. */
private static final Duration PATIENCE = Duration.ofSeconds(10);

private static final Map<String, Integer> ANSWERS = new ConcurrentSkipListMap<>();

private static final List<String> FAILED = Collections.synchronizedList(new ArrayList<>());

private static final List<String> WRONG = Collections.synchronizedList(new ArrayList<>());

private static final List<Long> NANOS = Collections.synchronizedList(new ArrayList<>());

void main(String[] arguments) throws Exception {
	// Otherwise the JDK's client repeats a GET whose connection was closed before its answer, and any request whose connection failed.
	System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
	System.setProperty("jdk.httpclient.disableRetryConnect", "true");
	String url = arguments[0];
	long interval = Duration.ofSeconds(1).toNanos() * WORKERS / Long.parseLong(arguments[1]);
	Path end = Path.of(arguments[2]);
	boolean isStrict = arguments[3].equals("strict");
	String token = (arguments.length > 4) ? Files.readString(Path.of(arguments[4])).strip() : "";
	SSLContext tls = (arguments.length > 5) ? trusting(Path.of(arguments[5])) : SSLContext.getDefault();
	String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
	List<Future<?>> workers = new ArrayList<>();
	try (var executor = Executors.newFixedThreadPool(WORKERS)) {
		for (int number = 0; number < WORKERS; number++) {
			Worker worker = new Worker(url, run + "-" + number, token, tls);
			long first = System.nanoTime() + interval * number / WORKERS;
			workers.add(executor.submit(() -> worker.run(first, interval, end)));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
	}
	System.out.println(ANSWERS + "; " + latencies());
	FAILED.stream().limit(20).forEach((failure) -> System.out.println("failed: " + failure));
	WRONG.stream().limit(20).forEach((wrong) -> System.out.println("WRONG: " + wrong));
	System.exit(WRONG.isEmpty() && (FAILED.isEmpty() || !isStrict) ? 0 : 1);
}

private static SSLContext trusting(Path authority) throws GeneralSecurityException, IOException {
	KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
	trusted.load(null, null);
	try (InputStream content = Files.newInputStream(authority)) {
		trusted.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(content));
	}
	TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
	managers.init(trusted);
	SSLContext context = SSLContext.getInstance("TLS");
	context.init(null, managers.getTrustManagers(), null);
	return context;
}

private static String latencies() {
	List<Long> sorted = new ArrayList<>(NANOS);
	Collections.sort(sorted);
	StringBuilder text = new StringBuilder(sorted.size() + " requests, " + FAILED.size() + " failed, " + WRONG.size() + " wrong");
	for (double share : new double[] { 0.5, 0.99, 0.999, 1 }) {
		text.append(String.format(Locale.ROOT, ", p%s %.1f ms", (share == 1) ? "100" : Double.toString(share * 100).replaceFirst("\\.0$", ""),
				sorted.get((int) Math.ceil(share * (sorted.size() - 1))) / 1e6));
	}
	return text.toString();
}

static final class Worker {

	private final HttpClient http;

	private final String url;

	private final String token;

	private final String prefix;

	/* Of each key, the versions that it may hold; 0 is none. */
	private final List<List<Long>> possible = new ArrayList<>();

	private long version;

	Worker(String url, String prefix, String token, SSLContext tls) {
		this.http = HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.connectTimeout(Duration.ofSeconds(2))
			.sslContext(tls)
			.build();
		this.token = token;
		this.url = url;
		this.prefix = prefix;
		for (int key = 0; key < KEYS; key++) {
			this.possible.add(List.of(0L));
		}
	}

	Void run(long first, long interval, Path end) throws InterruptedException {
		long due = first;
		for (int number = 0; !Files.exists(end); number++) {
			for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			int key = number % KEYS;
			if (number / KEYS % 2 == 0) {
				write(key);
			}
			else {
				read(key);
			}
			// From when it was due: a request that waited for the one before it counts that.
			NANOS.add(System.nanoTime() - due);
			due += interval;
		}
		for (int key = 0; key < KEYS; key++) {
			readAtLast(key);
		}
		return null;
	}

	/** What cannot be read now is read again: a key that nobody has looked at in the end may be lost. */
	private void readAtLast(int key) throws InterruptedException {
		for (int attempt = 1; !read(key); attempt++) {
			if (attempt == ATTEMPTS) {
				WRONG.add(key(key) + " could not be read in the end");
				return;
			}
			LockSupport.parkNanos(1_000_000_000);
		}
	}

	private void write(int key) throws InterruptedException {
		long next = ++this.version;
		List<Long> before = this.possible.get(key);
		List<Long> unknown = new ArrayList<>(before);
		unknown.add(next);
		try {
			int status = send(request(key).PUT(BodyPublishers.ofByteArray(content(key, next)))).statusCode();
			ANSWERS.merge("PUT " + status, 1, Integer::sum);
			if (status != 201) {
				FAILED.add("PUT " + status);
			}
			// What is refused, with 503 or 507, is not written: the protocol says so.
			this.possible.set(key, (status == 201) ? List.of(next) : (status == 503 || status == 507) ? before : unknown);
		}
		catch (IOException lost) {
			ANSWERS.merge("PUT lost", 1, Integer::sum);
			FAILED.add("PUT " + lost);
			this.possible.set(key, unknown);
		}
	}

	/** Says whether there was an answer. */
	private boolean read(int key) throws InterruptedException {
		try {
			HttpResponse<byte[]> answer = send(request(key).GET());
			ANSWERS.merge("GET " + answer.statusCode(), 1, Integer::sum);
			List<Long> may = this.possible.get(key);
			if (answer.statusCode() != 200 && (answer.statusCode() != 404 || !may.contains(0L))) {
				(answer.statusCode() == 404 ? WRONG : FAILED).add("GET " + answer.statusCode() + " of " + key(key));
			}
			else if (may.stream().noneMatch((version) -> Arrays.equals(answer.body(), content(key, version))) && answer.statusCode() == 200) {
				WRONG.add("GET of " + key(key) + " is " + new String(answer.body(), 0, Math.min(60, answer.body().length), StandardCharsets.UTF_8)
						+ ", possible are the versions " + may);
			}
			return answer.statusCode() == 200 || answer.statusCode() == 404;
		}
		catch (IOException lost) {
			ANSWERS.merge("GET lost", 1, Integer::sum);
			FAILED.add("GET " + lost);
			return false;
		}
	}

	private HttpRequest.Builder request(int key) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.url + "/v0/entity?id=" + key(key))).timeout(PATIENCE);
		return this.token.isEmpty() ? request : request.header("Authorization", "Bearer " + this.token);
	}

	private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.http.send(request.build(), BodyHandlers.ofByteArray());
	}

	private String key(int key) {
		return this.prefix + "-" + key;
	}

	private byte[] content(int key, long version) {
		byte[] head = (key(key) + " version " + version + " ").getBytes(StandardCharsets.UTF_8);
		byte[] content = Arrays.copyOf(head, SIZE);
		Arrays.fill(content, head.length, SIZE, (byte) ('a' + version % 26));
		return content;
	}

}
