package io.quorate.internode;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;

import io.quorate.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Hooks;
import reactor.netty.channel.AbortedException;

/**
 * Logs errors that come when no subscriber waits for them any more. A lost connection is
 * no fault: its owner learns of its end. The errors that libraries report of it besides,
 * of a stream that was given up or a write that the peer has cut off, add nothing. Any
 * other error is a fault.
 */
public final class DroppedErrors implements Consumer<Throwable> {

	private static final Logger log = LoggerFactory.getLogger(DroppedErrors.class);

	private static final int DEEPEST = 20;

	DroppedErrors() {
	}

	/** Receives all such errors of this process from now on. To be called once. */
	public static void listen() {
		Hooks.onErrorDropped(new DroppedErrors());
	}

	/** Logs the error: of a lost connection for debugging, any other as a fault. */
	@Override
	public void accept(Throwable dropped) {
		if (isLostConnection(dropped)) {
			log.debug("A connection was lost, no subscriber waits for this error", dropped);
		}
		else {
			log.error("An error that no subscriber waited for", dropped);
		}
	}

	/* Netty's own messages begin with the system call that has failed. */
	private static boolean isLostConnection(Throwable dropped) {
		@Nullable Throwable each = dropped;
		for (int depth = 0; each != null && depth < DEEPEST; depth++) {
			if (each instanceof StorageException) {
				return false;
			}
			if (each instanceof AbortedException || each instanceof ClosedChannelException
					|| each instanceof ConnectException || isCutOff(each)) {
				return true;
			}
			each = each.getCause();
		}
		return false;
	}

	private static boolean isCutOff(Throwable failure) {
		String message = failure.getMessage();
		return failure instanceof IOException && message != null
				&& (message.contains("Connection reset") || message.contains("Broken pipe"));
	}

}
