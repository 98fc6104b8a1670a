package io.quorate;

import java.lang.management.ManagementFactory;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import reactor.blockhound.BlockHound;

/**
 * The checks that hold for every test, installed before the first class of a test is
 * loaded: event loops never block, and no buffer of Netty leaks.
 * <p>
 * Without the JVM flag that BlockHound needs it stays out (integration tests, whose nodes
 * are other processes); {@code BlockingCallTests} sees to it that it is there in the
 * build's unit tests.
 */
public final class TestSession implements LauncherSessionListener {

	private static final String FLAG = "-XX:+AllowRedefinitionToAddDeleteMethods";

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		BufferLeaks.watch();
		if (ManagementFactory.getRuntimeMXBean().getInputArguments().contains(FLAG)) {
			BlockHound.install(new BlockingCalls());
		}
	}

}
