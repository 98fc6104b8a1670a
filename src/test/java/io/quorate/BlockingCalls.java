package io.quorate;

import java.util.concurrent.ThreadPoolExecutor;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * The calls that must not happen on an event loop, beyond those that BlockHound knows by
 * itself, and the few that may.
 */
final class BlockingCalls implements BlockHoundIntegration {

	private static final String CHANNEL = "sun.nio.ch.FileChannelImpl";

	@Override
	public void applyTo(BlockHound.Builder builder) {
		markFileChannels(builder);
		allowSubmittingToPools(builder);
		allowSpreadingBuffers(builder);
		allowRandomNumbers(builder);
		allowEndingHandshakes(builder);
		allowStandingStill(builder);
	}

	/* BlockHound knows streams and sockets, but not the channels that the store uses. */
	private static void markFileChannels(BlockHound.Builder builder) {
		builder.markAsBlocking(CHANNEL, "force", "(Z)V")
			.markAsBlocking(CHANNEL, "read", "(Ljava/nio/ByteBuffer;)I")
			.markAsBlocking(CHANNEL, "read", "(Ljava/nio/ByteBuffer;J)I")
			.markAsBlocking(CHANNEL, "read", "([Ljava/nio/ByteBuffer;II)J")
			.markAsBlocking(CHANNEL, "write", "(Ljava/nio/ByteBuffer;)I")
			.markAsBlocking(CHANNEL, "write", "(Ljava/nio/ByteBuffer;J)I")
			.markAsBlocking(CHANNEL, "write", "([Ljava/nio/ByteBuffer;II)J")
			.markAsBlocking(CHANNEL, "truncate", "(J)Ljava/nio/channels/FileChannel;")
			.markAsBlocking("java.nio.MappedMemoryUtils", "force0", "(Ljava/io/FileDescriptor;JJ)V")
			.markAsBlocking("java.nio.channels.FileChannel", "open",
					"(Ljava/nio/file/Path;Ljava/util/Set;[Ljava/nio/file/attribute/FileAttribute;)"
							+ "Ljava/nio/channels/FileChannel;");
	}

	/*
	 * Handing a task to a pool takes the lock of its queue, held for an insertion only;
	 * which of two threads parks there for a moment is chance, not a wait for I/O.
	 */
	private static void allowSubmittingToPools(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside(ThreadPoolExecutor.class.getName(), "execute");
	}

	/*
	 * When many threads allocate at once, Netty makes more places to allocate from, and
	 * locks each of the old ones for the time of emptying it: a few times in the life of
	 * a process.
	 */
	private static void allowSpreadingBuffers(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup",
				"tryExpandMagazines");
	}

	/*
	 * A new context of TLS takes a random number, as each handshake does, where Netty
	 * allows it: from /dev/urandom, which is a file and does not wait.
	 */
	private static void allowRandomNumbers(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside("io.quorate.internode.tls.RenewableSslContext$Newest", "another");
	}

	/*
	 * A connection that ends in its TLS handshake takes the lock of the JDK's engine,
	 * which a thread may hold for one step of the handshake: computation, no wait for
	 * I/O.
	 */
	private static void allowEndingHandshakes(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside("io.netty.handler.ssl.SslHandler", "setHandshakeFailure");
	}

	/* A loop that does nothing for a while is what the test is about. */
	private static void allowStandingStill(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside("io.quorate.api.StalledHttpTests", "awaitEndOf");
	}

}
