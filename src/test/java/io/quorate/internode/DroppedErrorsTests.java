package io.quorate.internode;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;

import io.quorate.storage.StorageFailedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DroppedErrorsTests {

	@BeforeEach
	void listen() {
		DroppedErrors.listen();
	}

	@AfterEach
	void listenNoMore() {
		Hooks.resetOnErrorDropped();
	}

	static Stream<Throwable> lostConnections() {
		return Stream.of(new ClosedChannelException(), new ConnectException("Connection refused: /127.0.0.1:7100"),
				new IOException("Connection reset by peer"), new IOException("Broken pipe"),
				new IOException("recvAddress(..) failed: Connection reset by peer"), AbortedException.beforeSend(),
				new IllegalStateException(new IOException("Connection reset by peer")));
	}

	@ParameterizedTest
	@MethodSource
	void lostConnections(Throwable lost, CapturedOutput output) {
		dropped(lost);
		assertThat(output).doesNotContain("ERROR");
	}

	static Stream<Throwable> faults() {
		return Stream.of(new IllegalStateException("out of step"), new IOException("No space left on device"),
				new IllegalArgumentException("Connection reset by peer"), new EOFException(), circle(),
				new StorageFailedException("the log", new ClosedByInterruptException()));
	}

	private static Throwable circle() {
		IllegalStateException outer = new IllegalStateException("around");
		outer.initCause(new IllegalStateException("and around", outer));
		return outer;
	}

	@ParameterizedTest
	@MethodSource
	void faults(Throwable fault, CapturedOutput output) {
		dropped(fault);
		assertThat(output).contains("ERROR", fault.toString(), "at io.quorate.internode.DroppedErrorsTests");
	}

	/* As a library may do with what it sends: without a subscriber for its failure. */
	private static void dropped(Throwable error) {
		Mono.error(error).subscribe();
	}

}
