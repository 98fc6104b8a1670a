package io.quorate.repair.rebuild;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.replica.PageReply;
import io.quorate.replica.Replica;
import io.quorate.replica.Replicas;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;

/**
 * The peers as sources of a rebuild, which are asked for one page at a time.
 *
 * @param sharing ids of the peers that share a partition with this node
 * @param known whether this node has the layout that names them
 */
record PeerSources(Replicas replicas, Supplier<Set<String>> sharing, BooleanSupplier known) implements Rebuild.Sources {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final PageLimit PAGE = new PageLimit(1024, 256 * 1024, 64 * 1024);

	@Override
	public boolean areKnown() {
		return this.known.getAsBoolean();
	}

	@Override
	public Set<String> ids() {
		return this.sharing.get();
	}

	@Override
	public ScanPage page(String member, Key start) throws IOException, InterruptedException {
		Replica source = this.replicas.byNode().get(member);
		if (source == null) {
			throw new IOException("no member " + member);
		}
		try {
			PageReply reply = source.page(start, null, PAGE, Deadline.after(PATIENCE))
				.toFuture()
				.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			return switch (reply) {
				case PageReply.Page(var page) -> page;
				case PageReply.Failed(var failure) -> throw new IOException(failure.detail());
				case PageReply.Headers _ -> throw new IOException("headers for entries");
			};
		}
		catch (ExecutionException | TimeoutException failure) {
			throw new IOException(failure.toString(), failure);
		}
	}

}
