package io.quorate.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Watches: their events, their place, and the nodes at which they go on. */
class WatchTests extends HostileTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/* Of the head of an answer, of a whole attempt, and of the events. */
	private static final List<Duration> CHECKS = List.of(Duration.ofSeconds(5), Duration.ofSeconds(10),
			Duration.ofSeconds(45));

	private final HandTimer timer = new HandTimer();

	private QuorateClient byHand(Object... nodes) {
		List<String> urls = Arrays.stream(nodes)
			.map((each) -> (each instanceof HostileServer server) ? server.url() : each.toString())
			.toList();
		Transport transport = new Transport(null, 4, Token.none(), Runnable::run, millis(5_000),
				Transport.threads("quorate-client-by-hand"), (threads) -> this.timer);
		CallOptions options = CallOptions.DEFAULTS.stallTimeout(CHECKS.get(0)).deadline(CHECKS.get(1));
		return opened(new QuorateClient(new Core(new Nodes(urls, false), transport, options, List.of())));
	}

	private Watch watch(QuorateClient client) {
		return watch(client, WatchOptions.prefix("k"));
	}

	private Watch watch(QuorateClient client, WatchOptions options) {
		return opened(client.watch(options));
	}

	private static WatchEvent next(Watch watch) {
		return watch.next(MINUTE).orElseThrow();
	}

	private static <E extends WatchEvent> E next(Watch watch, Class<E> type) {
		WatchEvent event = next(watch);
		assertThat(event).isInstanceOf(type);
		return type.cast(event);
	}

	private static String key(Watch watch) {
		return next(watch, WatchEvent.Put.class).key();
	}

	/** Returns the pauses between attempts. */
	private List<Duration> pauses() {
		return this.timer.asked().stream().filter((each) -> !CHECKS.contains(each)).toList();
	}

	/** Lets the watch go on after its n-th pause. */
	private void passPause(int number) throws InterruptedException {
		await(() -> pauses().size() >= number);
		this.timer.advance(pauses().get(number - 1));
	}

	private static String lastEventId(HostileServer server, int request) throws InterruptedException {
		await(() -> server.received().size() > request);
		return server.received().get(request).fields().getOrDefault("last-event-id", "");
	}

	private static Map<String, String> parameters(HostileServer server, int request) throws InterruptedException {
		await(() -> server.received().size() > request);
		Received received = server.received().get(request);
		return received.target().contains("?") ? RangeStore.parameters(received) : Map.of();
	}

	@Test
	void eventsHaveAllThatTheNodeSays() {
		HostileServer server = node(EventFeed.of(
				EventFeed.event("put",
						"{\"key\":\"grün\",\"etag\":\"\\\"1\\\"\",\"size\":4,\"expires\":\"2026-01-31T12:00:00.250Z\","
								+ "\"contentType\":\"text/plain\",\"value\":\"cm90IQ==\",\"new\":[1]}"),
				EventFeed.event("c1", "put", "{\"key\":\"b\",\"etag\":\"\\\"2\\\"\",\"size\":70000,\"value\":null}"),
				EventFeed.event("c2", "later", "{}"),
				EventFeed.event("c3", "delete", "{\"key\":\"grün\",\"etag\":\"\\\"3\\\"\"}"),
				EventFeed.event("stalled", "{\"members\":[\"n1\",\"n2\"]}"), EventFeed.live("c4")));
		Watch watch = watch(client(server), WatchOptions.prefix("").withValues());
		WatchEvent.Put first = next(watch, WatchEvent.Put.class);
		assertThat(first.key()).isEqualTo("grün");
		assertThat(first.etag()).isEqualTo("\"1\"");
		assertThat(first.size()).isEqualTo(4);
		assertThat(first.expires()).isEqualTo(Instant.parse("2026-01-31T12:00:00.250Z"));
		assertThat(first.contentType()).isEqualTo("text/plain");
		assertThat(first.text()).isEqualTo("rot!");
		assertThat(first.value()).isEqualTo(Scripts.bytes("rot!"));
		assertThat(first.buffer().isReadOnly()).isTrue();
		assertThat(first.cursor()).isNull();
		WatchEvent.Put second = next(watch, WatchEvent.Put.class);
		assertThat(second.hasValue()).isFalse();
		assertThat(second.expires()).isNull();
		assertThat(second.cursor()).isEqualTo("c1");
		caught(IllegalStateException.class, second::value);
		assertThat(next(watch)).isEqualTo(new WatchEvent.Delete("grün", "\"3\"", "c3"));
		assertThat(next(watch)).isEqualTo(new WatchEvent.Stalled(List.of("n1", "n2"), null));
		assertThat(next(watch)).isEqualTo(new WatchEvent.Live(Instant.parse("2026-01-31T12:00:00.250Z"), "c4"));
		assertThat(server.received().get(0).fields()).containsEntry("accept", "text/event-stream")
			.doesNotContainKey("last-event-id");
	}

	static Stream<Arguments> requests() {
		return Stream.of(Arguments.of(WatchOptions.key("a/b + ü"), "/v0/watch?key=a%2Fb%20%2B%20%C3%BC"),
				Arguments.of(WatchOptions.key("k").fromState(), "/v0/watch?key=k&cursor=0"),
				Arguments.of(WatchOptions.prefix("p:"), "/v0/watch?prefix=p%3A"),
				Arguments.of(WatchOptions.prefix(""), "/v0/watch"),
				Arguments.of(WatchOptions.range(RangeQuery.all()).withValues(), "/v0/watch?value=true"),
				Arguments.of(WatchOptions.range(RangeQuery.between("a", "b")), "/v0/watch?start=a&end=b"),
				Arguments.of(WatchOptions.range(RangeQuery.before("b")), "/v0/watch?start=%00&end=b"),
				Arguments.of(WatchOptions.prefix("p").fromCursor("A+/=").withValues(),
						"/v0/watch?prefix=p&value=true&cursor=A%2B%2F%3D"));
	}

	@ParameterizedTest
	@MethodSource("requests")
	void requestHasKeysPlaceAndForm(WatchOptions options, String target) throws InterruptedException {
		HostileServer server = node(EventFeed.of());
		watch(client(server), options);
		await(() -> server.received().size() == 1);
		assertThat(server.received().get(0).target()).isEqualTo(target);
		assertThat(server.received().get(0).method()).isEqualTo("GET");
	}

	@Test
	void whatIsNoWatchIsRefusedAtOnce() {
		caught(IllegalArgumentException.class, () -> WatchOptions.key(""));
		caught(IllegalArgumentException.class, () -> WatchOptions.range(RangeQuery.all().reverse()));
		caught(IllegalArgumentException.class, () -> WatchOptions.range(RangeQuery.all().limit(1)));
		caught(IllegalArgumentException.class, () -> WatchOptions.range(RangeQuery.cursor("c")));
		for (String cursor : List.of("", "a b", "a\nb", "ä", "x".repeat(5_000))) {
			caught(IllegalArgumentException.class, () -> WatchOptions.prefix("k").fromCursor(cursor));
		}
	}

	@Test
	void watchGoesOnAtTheNextNodeBehindItsLastPlace() throws InterruptedException {
		HostileServer first = node(EventFeed.cutAfter(EventFeed.live("c1"), EventFeed.put("c2", "k1"),
				EventFeed.put("k2"), "id: c3\nevent: put\n"));
		HostileServer second = node(EventFeed.of(EventFeed.put("k2"), EventFeed.put("c3", "k3")));
		Watch watch = watch(byHand(first, second));
		next(watch, WatchEvent.Live.class);
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(key(watch)).isEqualTo("k2");
		assertThat(next(watch, WatchEvent.Disconnected.class).failure().node()).isEqualTo(first.url());
		passPause(1);
		assertThat(lastEventId(second, 0)).isEqualTo("c2");
		assertThat(parameters(second, 0)).isEqualTo(Map.of("prefix", "k"));
		assertThat(key(watch)).isEqualTo("k2");
		assertThat(next(watch).cursor()).isEqualTo("c3");
		assertThat(first.received()).hasSize(1);
	}

	@Test
	void placeOfTheUserIsKeptUntilThereIsANewerOne() throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(EventFeed.put("k1")), EventFeed.cutAfter(EventFeed.live("c1")),
				EventFeed.of());
		Watch watch = watch(byHand(server), WatchOptions.key("k").fromCursor("c0"));
		assertThat(key(watch)).isEqualTo("k1");
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(2);
		assertThat(parameters(server, 0)).containsEntry("cursor", "c0");
		assertThat(parameters(server, 1)).containsEntry("cursor", "c0");
		assertThat(lastEventId(server, 2)).isEqualTo("c1");
		assertThat(parameters(server, 2)).doesNotContainKey("cursor");
	}

	@Test
	void lostPlaceIsAGapBeforeTheState() throws InterruptedException {
		HostileServer server = node(Scripts.problem(410, "cursor-lost"),
				EventFeed.of(EventFeed.put("k1"), EventFeed.live("c1")));
		Watch watch = watch(byHand(server), WatchOptions.prefix("k").fromCursor("old"));
		assertThat(next(watch)).isEqualTo(new WatchEvent.Gap(null));
		passPause(1);
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(next(watch).cursor()).isEqualTo("c1");
		assertThat(parameters(server, 1)).containsEntry("cursor", "0");
		assertThat(lastEventId(server, 1)).isEmpty();
	}

	@Test
	void placeThatIsLostMeanwhileIsAGapBeforeTheState() throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(EventFeed.live("c1")), Scripts.problem(410, "cursor-lost"),
				EventFeed.of(EventFeed.put("c2", "k1")));
		Watch watch = watch(byHand(server));
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Gap.class);
		passPause(2);
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(parameters(server, 2)).containsEntry("cursor", "0");
		assertThat(lastEventId(server, 2)).isEmpty();
	}

	@Test
	void resetIsAGapAndItsDeadPlaceIsForgotten() throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(EventFeed.live("c1")),
				EventFeed.cutAfter(EventFeed.event("reset", "{}")),
				EventFeed.cutAfter(EventFeed.put("k1"), EventFeed.put("c2", "k2")), EventFeed.of());
		Watch watch = watch(byHand(server));
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Gap.class);
		passPause(2);
		// The state begins a second time: nothing of the first one was reported.
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(key(watch)).isEqualTo("k2");
		next(watch, WatchEvent.Disconnected.class);
		passPause(3);
		assertThat(lastEventId(server, 1)).isEqualTo("c1");
		assertThat(lastEventId(server, 2)).isEmpty();
		assertThat(parameters(server, 2)).containsEntry("cursor", "0");
		assertThat(lastEventId(server, 3)).isEqualTo("c2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void watchThatBreaksOffBeforeItsFirstPlaceBeginsAnewWithAGap(boolean fromState) throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(EventFeed.put("k1")), EventFeed.of(EventFeed.live("c1")));
		WatchOptions options = WatchOptions.prefix("k");
		Watch watch = watch(byHand(server), fromState ? options.fromState() : options);
		assertThat(key(watch)).isEqualTo("k1");
		next(watch, WatchEvent.Disconnected.class);
		next(watch, WatchEvent.Gap.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		assertThat(parameters(server, 1)).containsEntry("cursor", "0");
	}

	@Test
	void watchOfWhichNothingWasReportedBeginsAgainFromNow() throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(), EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(byHand(server));
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		assertThat(parameters(server, 1)).isEqualTo(Map.of("prefix", "k"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "draining", "time", "full" })
	void endIsFollowedAtTheNextNodeAfterTheTimeThatItNames(String why) throws InterruptedException {
		HostileServer first = node(EventFeed.of(EventFeed.live("c1"),
				"retry: 3210\n" + EventFeed.event("end", "{\"why\":\"" + why + "\"}")));
		HostileServer second = node(EventFeed.of(EventFeed.put("c2", "k1")));
		Watch watch = watch(byHand(first, second));
		next(watch, WatchEvent.Live.class);
		await(() -> pauses().size() == 1);
		await(() -> first.openConnections() == 0);
		assertThat(pauses()).containsExactly(Duration.ofMillis(3_210));
		this.timer.advance(Duration.ofMillis(3_209));
		assertThat(this.timer.waiting()).isEqualTo(1);
		this.timer.advance(Duration.ofMillis(1));
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(lastEventId(second, 0)).isEqualTo("c1");
	}

	@Test
	void retryHoldsForACutToo() throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter("retry: 4000\n\n", EventFeed.live("c1")),
				EventFeed.cutAfter(EventFeed.live("c2")), EventFeed.of());
		Watch watch = watch(byHand(server));
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(2);
		assertThat(lastEventId(server, 2)).isEqualTo("c2");
		assertThat(pauses().get(0)).isEqualTo(Duration.ofSeconds(4));
		assertThat(pauses().get(1)).isLessThan(Duration.ofMillis(500));
	}

	@Test
	void nodeThatSendsNoByteFor45SecondsIsDead() throws InterruptedException {
		EventFeed feed = new EventFeed().send(EventFeed.live("c1"));
		HostileServer first = node(feed);
		HostileServer second = node(EventFeed.of(EventFeed.put("c3", "k1")));
		Watch watch = watch(byHand(first, second));
		next(watch, WatchEvent.Live.class);
		this.timer.advance(Duration.ofMillis(44_999));
		feed.send(": alive\n\n", EventFeed.live("c2"));
		assertThat(next(watch).cursor()).isEqualTo("c2");
		this.timer.advance(Duration.ofMillis(44_999));
		feed.send(EventFeed.event("stalled", "{}")).standStill();
		next(watch, WatchEvent.Stalled.class);
		assertThat(second.received()).isEmpty();
		assertThat(first.connections()).isEqualTo(1);
		List<WatchEvent> dead = new ArrayList<>();
		// The 45 seconds begin when the client has asked its connection for more.
		await(() -> {
			this.timer.advance(Duration.ofSeconds(45));
			return watch.next(Duration.ofMillis(20)).filter(dead::add).isPresent();
		});
		assertThat(((WatchEvent.Disconnected) dead.get(0)).failure().reason()).contains("45000 ms");
		await(() -> first.openConnections() == 0);
		this.timer.advance(Duration.ofMillis(500));
		assertThat(key(watch)).isEqualTo("k1");
		assertThat(lastEventId(second, 0)).isEqualTo("c2");
	}

	@Test
	void nodeThatSendsNoHeadIsLeftAfterTheStallTimeout() throws InterruptedException {
		HostileServer first = node(Scripts.STAND_STILL);
		HostileServer second = node(EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(byHand(first, second));
		await(() -> first.received().size() == 1);
		this.timer.advance(Duration.ofSeconds(5));
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
	}

	@Test
	void pausesGrowTo30SecondsUntilAnEventComes() throws InterruptedException {
		List<Script> scripts = new ArrayList<>(IntStream.range(0, 9)
			.mapToObj((i) -> (i % 2 == 0) ? Scripts.problem(503, "overloaded") : EventFeed.cutAfter())
			.toList());
		scripts.add(EventFeed.cutAfter(EventFeed.put("c1", "k1")));
		scripts.add(EventFeed.of(EventFeed.live("c2")));
		HostileServer server = node(scripts.toArray(Script[]::new));
		Watch watch = watch(byHand(server));
		for (int i = 1; i <= 9; i++) {
			passPause(i);
		}
		next(watch, WatchEvent.Disconnected.class);
		assertThat(key(watch)).isEqualTo("k1");
		next(watch, WatchEvent.Disconnected.class);
		passPause(10);
		next(watch, WatchEvent.Live.class);
		long longest = 500;
		for (Duration pause : pauses().subList(0, 9)) {
			assertThat(pause).isBetween(Duration.ofMillis(longest / 2), Duration.ofMillis(longest));
			longest = Math.min(30_000, 2 * longest);
		}
		assertThat(pauses().get(9)).isBetween(Duration.ofMillis(250), Duration.ofMillis(500));
	}

	@Test
	void nodeThatNamesATimeIsNotAskedBefore() throws InterruptedException {
		HostileServer server = node(Scripts.problem(503, "draining", "Retry-After: 7"),
				EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(byHand(server));
		assertThat(next(watch, WatchEvent.Disconnected.class).failure().status()).isEqualTo(503);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		assertThat(pauses()).containsExactly(Duration.ofSeconds(7));
	}

	static Stream<Script> repeated() {
		return Stream.of(Scripts.CUT, Scripts.BAD_GATEWAY, Scripts.problem(500, "internal-error"),
				Scripts.problem(429, "too-many-requests"), Scripts.answer(200, "{}", "Content-Type: application/json"),
				Scripts.answer(204, ""), Scripts.sends("nonsense\r\n\r\n"), EventFeed.of(EventFeed.event("put", "{")),
				EventFeed.of(EventFeed.event("put", "{\"key\":\"k\"}")), EventFeed.of(EventFeed.event("live", "{}")),
				EventFeed.of("id: \u00e4\n" + EventFeed.put("k")),
				EventFeed.of("id: " + "x".repeat(5_000) + "\n" + EventFeed.put("k")));
	}

	@ParameterizedTest
	@MethodSource("repeated")
	void whatAnotherNodeMayDoIsRepeated(Script script) throws InterruptedException {
		HostileServer second = node(EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(byHand(node(script), second));
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		next(watch, WatchEvent.Live.class);
		assertThat(lastEventId(second, 0)).isEmpty();
	}

	@Test
	void nodeWithoutAConnectionIsPassed() throws InterruptedException {
		Watch watch = watch(byHand(unusedUrl(), node(EventFeed.of(EventFeed.live("c1")))));
		assertThat(next(watch, WatchEvent.Disconnected.class).failure().reason()).contains("no connection");
		passPause(1);
		next(watch, WatchEvent.Live.class);
	}

	@ParameterizedTest
	@CsvSource({ "400,io.quorate.client.BadRequestException", "401,io.quorate.client.UnauthenticatedException",
			"403,io.quorate.client.ForbiddenException", "404,io.quorate.client.NotFoundException",
			"501,io.quorate.client.NotSupportedException" })
	void refusalEndsTheWatch(int status, Class<? extends QuorateException> type) throws InterruptedException {
		HostileServer server = node(EventFeed.cutAfter(EventFeed.live("c1")), Scripts.problem(status, "refused"));
		Watch watch = watch(byHand(server));
		next(watch, WatchEvent.Live.class);
		next(watch, WatchEvent.Disconnected.class);
		passPause(1);
		QuorateException error = caught(type, () -> watch.next(MINUTE));
		assertThat(error.failures()).extracting(FailedAttempt::node).containsExactly(server.url());
		assertThat(caught(type, () -> watch.next(Duration.ZERO))).isSameAs(error);
		assertThat(this.timer.waiting()).isZero();
	}

	@Test
	void pageOfAProxyThatRefusesEndsTheWatch() {
		Watch watch = watch(byHand(node(Scripts.answer(403, "<html>", "Content-Type: text/html"))));
		assertThat(caught(InvalidAnswerException.class, () -> watch.next(MINUTE)).status()).isEqualTo(403);
	}

	@Test
	void eventThatIsTooLargeEndsTheWatchBehindThoseBefore() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.put("c1", "k1"), "data: " + "x".repeat(1024 * 1024 + 1)));
		Watch watch = watch(byHand(server));
		assertThat(key(watch)).isEqualTo("k1");
		caught(AnswerTooLargeException.class, () -> watch.next(MINUTE));
		await(() -> server.openConnections() == 0);
	}

	@Test
	void slowReaderHoldsTheNodeBackAndMissesNothing() throws InterruptedException {
		String data = "{\"key\":\"k%05d\",\"etag\":\"1\",\"size\":1,\"value\":\"" + "eHh4".repeat(5_000) + "\"}";
		AtomicInteger sent = new AtomicInteger();
		HostileServer server = node((connection, request) -> {
			connection.send(Scripts.bytes(EventFeed.HEAD));
			while (sent.get() < 4_000) {
				connection.send(Scripts.bytes(Scripts.chunks(EventFeed.event("put", data.formatted(sent.get())))));
				sent.incrementAndGet();
			}
			connection.standStill();
		});
		QuorateClient other = client(node(Scripts.value("red")));
		Watch watch = watch(client(server), WatchOptions.prefix("k").withValues());
		assertThat(key(watch)).isEqualTo("k00000");
		// 80 MB do not fit into the buffers of a connection: the server stands in its
		// sending, while other calls go on.
		int before = -1;
		while (before < sent.get()) {
			before = sent.get();
			for (int i = 0; i < 300; i++) {
				other.get("k");
			}
		}
		assertThat(sent.get()).isLessThan(4_000);
		for (int i = 1; i < 4_000; i++) {
			assertThat(key(watch)).isEqualTo("k%05d".formatted(i));
		}
	}

	@Test
	void waitForAnEventHasAnEnd() {
		Watch watch = watch(client(node(EventFeed.of())));
		assertThat(watch.next(Duration.ZERO)).isEmpty();
		assertThat(watch.next(Duration.ofMillis(1))).isEmpty();
		assertThat(watch.next(Duration.ofSeconds(-1))).isEmpty();
	}

	@Test
	void closeEndsTheConnectionAndTheWait() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(client(server));
		next(watch, WatchEvent.Live.class);
		CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> watch.next(MINUTE).isPresent());
		watch.close();
		assertThat(caught(CompletionException.class, waiting::join)).hasCauseInstanceOf(IllegalStateException.class);
		await(() -> server.openConnections() == 0);
	}

	@Test
	void closeInAPauseLeavesNothing() throws InterruptedException {
		HostileServer server = node(Scripts.CUT);
		QuorateClient client = byHand(server);
		Watch watch = watch(client);
		next(watch, WatchEvent.Disconnected.class);
		await(() -> this.timer.waiting() == 1);
		watch.close();
		assertThat(this.timer.waiting()).isZero();
		assertThat(client.core().underWay()).isZero();
	}

	@Test
	void closedClientEndsItsWatches() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.live("c1")));
		QuorateClient client = client(server);
		Watch watch = watch(client);
		next(watch, WatchEvent.Live.class);
		client.close();
		caught(CallInterruptedException.class, () -> watch.next(MINUTE));
		caught(IllegalStateException.class, () -> client.watch(WatchOptions.key("k")));
		await(() -> server.openConnections() == 0);
	}

	@Test
	void interruptClosesTheWatch() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.live("c1")));
		Watch watch = watch(client(server));
		next(watch, WatchEvent.Live.class);
		Thread.currentThread().interrupt();
		caught(CallInterruptedException.class, () -> watch.next(MINUTE));
		assertThat(Thread.interrupted()).isTrue();
		caught(IllegalStateException.class, () -> watch.next(Duration.ZERO));
		await(() -> server.openConnections() == 0);
	}

	@Test
	void watchHasAPlaceOfTheClientOnlyWhileItIsConnected() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.live("c1")), Scripts.value("red"));
		QuorateClient client = opened(builder(server).connections(1).build());
		Watch watch = watch(client);
		next(watch, WatchEvent.Live.class);
		watch.close();
		assertThat(client.get("k")).isPresent();
	}

	/** A subscriber that asks for events as the test says. */
	private static final class Events implements Flow.Subscriber<WatchEvent> {

		private final List<WatchEvent> events = new ArrayList<>();

		private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

		private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

		private @Nullable RuntimeException fault;

		@Override
		public void onSubscribe(Flow.Subscription watch) {
			this.subscription.complete(watch);
		}

		@Override
		public synchronized void onNext(WatchEvent item) {
			this.events.add(item);
			if (this.fault != null) {
				throw this.fault;
			}
		}

		@Override
		public void onError(Throwable error) {
			this.failure.complete(error);
		}

		@Override
		public void onComplete() {
			this.failure.complete(new IllegalStateException("a watch has no end"));
		}

		synchronized int count() {
			return this.events.size();
		}

	}

	@Test
	void publisherHandsOverNoMoreThanAskedFor() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.put("k1"), EventFeed.put("k2"), EventFeed.live("c1")));
		Events events = new Events();
		client(server).async().watch(WatchOptions.prefix("k")).subscribe(events);
		Flow.Subscription subscription = events.subscription.join();
		assertThat(server.received()).isEmpty();
		subscription.request(1);
		await(() -> events.count() == 1);
		subscription.request(1);
		await(() -> events.count() == 2);
		subscription.request(Long.MAX_VALUE);
		subscription.request(Long.MAX_VALUE);
		await(() -> events.count() == 3);
		subscription.cancel();
		await(() -> server.openConnections() == 0);
		assertThat(events.failure).isNotDone();
	}

	@Test
	void faultOfASubscriberEndsItsWatch() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.live("c1")));
		Events events = new Events();
		events.fault = new InvalidAnswerException("http://other", 503, "of another call", null);
		client(server).async().watch(WatchOptions.prefix("k")).subscribe(events);
		events.subscription.join().request(1);
		assertThat(events.failure.join()).isSameAs(events.fault);
		await(() -> server.openConnections() == 0);
		assertThat(server.received()).hasSize(1);
	}

	@Test
	void publisherRefusesARequestForNothing() {
		Events events = new Events();
		client(node(EventFeed.of())).async().watch(WatchOptions.prefix("k")).subscribe(events);
		events.subscription.join().request(0);
		assertThat(events.failure.join()).isInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void fluxIsAWatchForEachSubscription() throws InterruptedException {
		HostileServer server = node(EventFeed.of(EventFeed.put("k1"), EventFeed.put("c1", "k2")));
		QuorateReactiveClient client = opened(QuorateReactiveClient.of(builder(server).buildAsync()));
		for (int i = 0; i < 2; i++) {
			StepVerifier
				.create(client.watch(WatchOptions.prefix("k"))
					.map((event) -> Objects.toString(event.cursor(), "-"))
					.take(2))
				.expectNext("-", "c1")
				.expectComplete()
				.verify(MINUTE);
		}
		await(() -> server.openConnections() == 0);
		assertThat(server.received()).hasSize(2);
	}

}
