package io.quorate.load;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.crashLoadGeneratorIf;
import static io.gatling.javaapi.core.CoreDsl.nothingFor;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * Small values at a constant rate, and in the middle a node is killed (SIGKILL). The
 * clients speak to the other nodes, as behind any proxy that sees a connection refused:
 * of these nothing may fail as long as those that are left are enough for what requests
 * ask, as two of three are.
 */
public final class KilledNodeSimulation extends LoadSimulation {

	private static final String BEFORE = " before";

	private static final String AFTER = " after";

	private final AtomicReference<String> phase = new AtomicReference<>(BEFORE);

	public KilledNodeSimulation() {
		super((options) -> new Keys("small", options.keys()), Options::valueSize);
		double rate = options().rate();
		int seconds = options().seconds();
		Keys.Draw draw = draw(0.99, 0.5);
		ChainBuilder silent = requests().silently().readOrWrite(keys().draws(draw, noPhase()));
		ChainBuilder measured = requests().readOrWrite(keys().draws(draw, this.phase::get));
		measure(rate, silent, scenario("requests").exec(measured).injectOpen(constantUsersPerSec(rate).during(seconds)),
				scenario("kill").exec(this::kill)
					.exec(crashLoadGeneratorIf("No node was killed.", Session::isFailed))
					.injectOpen(nothingFor(seconds / 2), atOnceUsers(1)))
			.assertions(nothingFails(), everythingIsSent(rate));
	}

	/**
	 * Fails at once when it could not kill anything later.
	 * @throws IllegalArgumentException if nobody said whose node it is
	 * @throws IllegalStateException if that node does not run
	 */
	@Override
	public void before() {
		Path data = clusterData();
		if (!options().urls().isEmpty()) {
			LocalCluster.requireRunning(data, options().victim());
		}
		super.before();
	}

	/** Those that stay; told URLs are to be without the one that does not. */
	@Override
	List<String> urls() {
		List<String> urls = super.urls();
		if (!options().urls().isEmpty()) {
			return urls;
		}
		int victim = Integer.parseInt(options().victim().substring(1));
		if (victim >= urls.size() || urls.size() < 2) {
			throw new IllegalArgumentException(
					"-Dload.victim must be one of " + urls.size() + " nodes, and not the only one");
		}
		return urls.stream().filter((url) -> !url.equals(urls.get(victim))).toList();
	}

	private Session kill(Session session) {
		try {
			LocalCluster.kill(clusterData(), options().victim());
			this.phase.set(AFTER);
			return session;
		}
		catch (RuntimeException ex) {
			System.out.println(ex.getMessage());
			return session.markAsFailed();
		}
	}

}
