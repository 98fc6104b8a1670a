package io.quorate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.HttpResources;
import reactor.test.StepVerifier;

/** That the watch over event loops is really awake. */
class BlockingCallTests {

	private static final Scheduler EVENT_LOOPS = Schedulers.fromExecutor(HttpResources.get().onServer(true), false);

	@TempDir
	private static Path directory;

	private static FileChannel channel;

	@BeforeAll
	static void openFile() throws IOException {
		channel = FileChannel.open(directory.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
	}

	@Test
	void eventLoopsMustNotWait() {
		assertBlocks(() -> new CountDownLatch(1).await(10, java.util.concurrent.TimeUnit.SECONDS));
	}

	@Test
	void eventLoopsMustNotForceFiles() {
		assertBlocks(() -> {
			channel.force(false);
			return true;
		});
	}

	@Test
	void eventLoopsMustNotForceMappings() throws IOException {
		MappedByteBuffer mapping = channel.map(MapMode.READ_WRITE, 0, 4096);
		assertBlocks(mapping::force);
	}

	@Test
	void eventLoopsMustNotReadFiles() {
		assertBlocks(() -> channel.read(ByteBuffer.allocate(1)));
		assertBlocks(() -> channel.read(ByteBuffer.allocate(1), 0));
	}

	@Test
	void eventLoopsMustNotWriteFiles() {
		assertBlocks(() -> channel.write(ByteBuffer.allocate(1)));
		assertBlocks(() -> channel.write(ByteBuffer.allocate(1), 0));
		assertBlocks(() -> channel.write(new ByteBuffer[] { ByteBuffer.allocate(1) }));
	}

	@Test
	void eventLoopsMustNotOpenFiles() {
		assertBlocks(() -> FileChannel.open(directory.resolve("file"), StandardOpenOption.READ));
	}

	@Test
	void otherThreadsMay() throws IOException {
		channel.write(ByteBuffer.allocate(1));
		channel.force(false);
	}

	private static void assertBlocks(Callable<?> call) {
		StepVerifier.create(Mono.fromCallable(call).subscribeOn(EVENT_LOOPS)).expectErrorSatisfies((failure) -> {
			if (!(failure instanceof BlockingOperationError)) {
				throw new AssertionError("BlockHound is not active, or does not know the call", failure);
			}
		}).verify();
	}

}
