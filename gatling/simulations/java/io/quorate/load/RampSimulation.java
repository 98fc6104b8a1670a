package io.quorate.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.core.Session;

import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.incrementUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.responseTimeInMillis;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.core.CoreDsl.stopLoadGeneratorIf;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * Small values at a rate that rises level by level to the knee, where latency leaves the
 * ground; each level is a line of the report. A service that is asked for more than it
 * can do may refuse (503) or be too late (504), which is a line of its own and no
 * failure; it ends the ramp, as do answers that took longer than a request may.
 */
public final class RampSimulation extends LoadSimulation {

	/* By default the service answers within a second, whatever it answers. */
	private static final int LATE_MILLIS = 1000;

	/* When the first measured request is sent. */
	private final AtomicLong startNanos = new AtomicLong();

	private final AtomicInteger overload = new AtomicInteger();

	public RampSimulation() {
		super((options) -> new Keys("small", options.keys()), Options::valueSize);
		double from = options().rampFrom();
		Keys.Draw draw = draw(0.99, 0.5);
		ChainBuilder silent = requests().silently().readOrWrite(keys().draws(draw, noPhase()));
		ChainBuilder measured = requests().readOrWrite(keys().draws(draw, this::level), answered(200), answered(201))
			.exec(this::note)
			.exec(doIf("#{refused}").then(exec(dummy("refused#{phase}", 0))))
			.exec(stopLoadGeneratorIf("The knee is passed.", (session) -> this.overload.get() > from));
		measure(from, silent,
				scenario("ramp").exec(measured)
					.injectOpen(incrementUsersPerSec(options().rampStep()).times(options().rampLevels())
						.eachLevelLasting(options().seconds())
						.startingFrom(from)))
			.assertions(nothingFails(), everythingIsSent(from));
	}

	private static CheckBuilder[] answered(int status) {
		return new CheckBuilder[] { status().in(status, 503, 504).saveAs("status"),
				responseTimeInMillis().saveAs("millis") };
	}

	private String level() {
		long now = System.nanoTime();
		this.startNanos.compareAndSet(0, now);
		long level = (now - this.startNanos.get()) / (options().seconds() * 1_000_000_000L);
		return " at %.0f/s"
			.formatted(options().rampFrom() + Math.min(level, options().rampLevels() - 1) * options().rampStep());
	}

	private Session note(Session session) {
		boolean refused = !session.isFailed() && session.getInt("status") >= 500;
		boolean late = !session.isFailed() && session.getInt("millis") > LATE_MILLIS;
		if (refused || late || session.isFailed()) {
			this.overload.incrementAndGet();
		}
		return session.set("refused", refused);
	}

}
