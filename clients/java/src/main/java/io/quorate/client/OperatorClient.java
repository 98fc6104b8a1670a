package io.quorate.client;

import java.net.URI;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A client of operators: it sends any request, and returns answers and the records of
 * ranges as they come. The command line uses it. Applications have no need of it, and it
 * may change at any time. Safe for use by several threads, which wait.
 */
public final class OperatorClient implements AutoCloseable {

	private final Core core;

	private OperatorClient(Core core) {
		this.core = core;
	}

	/**
	 * Creates a client. It does not warn of a token that can be read on its way.
	 * @param builder the nodes, the token and the options of all calls
	 */
	public static OperatorClient of(ClientBuilder builder) {
		return new OperatorClient(builder.unwarnedCore());
	}

	/**
	 * Returns whether a token to a node could be read on its way.
	 * @param node the URL of the node
	 */
	public static boolean isTokenExposedTo(URI node) {
		return Transport.isTokenExposedTo(node.toString());
	}

	/**
	 * Returns the end of all keys that begin with a prefix, {@code null} if no key is
	 * behind them.
	 * @param prefix the prefix
	 */
	public static @Nullable String behindAllWith(String prefix) {
		return Keys.behindAllWith(prefix);
	}

	/**
	 * Returns a client of another node, which ends with this one.
	 * @param node the URL of the node
	 */
	public OperatorClient at(URI node) {
		return new OperatorClient(this.core.atUnwarned(node.toString()));
	}

	/** Has the next call begin at the next node. */
	public void preferNext() {
		this.core.nodes().preferNext();
	}

	/**
	 * Sends a request, and waits for its answer.
	 * @param request the request
	 * @param isSuccess whether an answer is what the caller wants; any other one is an
	 * error
	 * @param changes the changes of the options
	 * @return the answer
	 * @throws InvalidAnswerException if the answer is another one, and no problem
	 * document: it quotes the answer
	 * @throws QuorateException if the call fails for another reason
	 */
	public Answer send(Request request, Predicate<Answer> isSuccess, UnaryOperator<CallOptions> changes) {
		return Core.await(this.core.ask(request, isSuccess, changes));
	}

	/**
	 * Reads a range.
	 * @param query the range
	 * @param hasValues {@code false} for keys alone
	 * @param changes the changes of the options
	 * @return the records, to be closed if it is left early
	 */
	public RangeIterator<RangeLine> range(RangeQuery query, boolean hasValues, UnaryOperator<CallOptions> changes) {
		return new RangeIterator<>(this.core.lines(query, hasValues, changes, Runnable::run));
	}

	/**
	 * Begins to watch keys, as {@link QuorateClient#watch(WatchOptions)} does.
	 * @param watch the keys, the beginning and the form
	 */
	public Watch watch(WatchOptions watch) {
		return new Watch(this.core.watch(watch, UnaryOperator.identity(), Runnable::run));
	}

	/**
	 * Returns the client of applications for the same nodes, which ends with this one.
	 */
	public QuorateClient data() {
		return new QuorateClient(this.core);
	}

	/** Ends all calls, connections and threads. */
	@Override
	public void close() {
		this.core.close();
	}

}
