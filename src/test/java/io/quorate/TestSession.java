package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import reactor.blockhound.BlockHound;
import reactor.test.StepVerifier;

/**
 * The checks that hold for every test, installed before the first class of a test is
 * loaded: event loops never block, no buffer of Netty leaks, and what must come is
 * awaited for longer than a slow machine stands still.
 * <p>
 * Without the JVM flag that BlockHound needs it stays out (integration tests, whose nodes
 * are other processes); {@code BlockingCallTests} sees to it that it is there in the
 * build's unit tests.
 */
public final class TestSession implements LauncherSessionListener {

	private static final String FLAG = "-XX:+AllowRedefinitionToAddDeleteMethods";

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(PATIENCE);
		StepVerifier.setDefaultTimeout(PATIENCE);
		BufferLeaks.watch();
		if (ManagementFactory.getRuntimeMXBean().getInputArguments().contains(FLAG)) {
			BlockHound.install(new BlockingCalls());
		}
	}

	/*
	 * The last class of a process is over then: what the nodes have leaked fails the run.
	 */
	@Override
	public void launcherSessionClosed(LauncherSession session) {
		try {
			SharedNode.closeAll();
			NoBufferLeaks.searchAndFail();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
	}

}
