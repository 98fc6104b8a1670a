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
 * Errors that come when nobody waits for them any more. That a connection is lost is no
 * fault: whoever has to know hears of its end, and what libraries say of it besides, of a
 * stream that was given up or a write that the other side has cut off, nobody needs.
 * Everything else is one.
 */
public final class DroppedErrors implements Consumer<Throwable> {

	private static final Logger log = LoggerFactory.getLogger(DroppedErrors.class);

	private static final int DEEPEST = 20;

	DroppedErrors() {
	}

	/** From now on hears of all of this process. To be called once. */
	public static void listen() {
		Hooks.onErrorDropped(new DroppedErrors());
	}

	/** Logs the error: for who looks for it, or for everybody. */
	@Override
	public void accept(Throwable dropped) {
		if (isLostConnection(dropped)) {
			log.debug("A connection was lost, nobody waits for this", dropped);
		}
		else {
			log.error("An error that nobody waited for", dropped);
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
