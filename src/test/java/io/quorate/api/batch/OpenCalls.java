package io.quorate.api.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Content;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.ScanRequest;
import io.quorate.coordinator.Touched;
import io.quorate.coordinator.Written;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** A coordinator whose calls stay open until the test ends them, in any order. */
final class OpenCalls implements Coordinator {

	/** All calls, in the order in which they began. */
	final List<Call> all = new ArrayList<>();

	/** Those that are neither ended nor cancelled, in that order. */
	final List<Call> open = new ArrayList<>();

	int mostOpen;

	/** Is thrown where the next call begins. */
	@Nullable Error fault;

	private int stamps;

	@Override
	public PreferenceLists lists() {
		throw new UnsupportedOperationException();
	}

	@Override
	public long trueMillis() {
		throw new UnsupportedOperationException();
	}

	@Override
	public int replicationFactor() {
		return 3;
	}

	@Override
	public Mono<Written> put(Key key, Content content, RequestContext requestContext) {
		return write("put", key, content.value(), requestContext);
	}

	@Override
	public Mono<Written> delete(Key key, RequestContext requestContext) {
		return write("delete", key, Value.EMPTY, requestContext);
	}

	@Override
	public Mono<Written> putIf(Key key, Condition condition, Content content, RequestContext requestContext) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Mono<Written> deleteIf(Key key, Condition condition, RequestContext requestContext) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Mono<Touched> touch(Key key, Condition condition, Duration ttl, RequestContext requestContext) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Mono<ReadOutcome> readLinearizable(Key key, RequestContext requestContext) {
		throw new UnsupportedOperationException();
	}

	private Mono<Written> write(String operation, Key key, Value value, RequestContext requestContext) {
		return Mono.create((sink) -> new Call(operation, key, value, requestContext) {

			@Override
			void answer() {
				close(requestContext);
				sink.success(new Written(stamp()));
			}

			@Override
			void fail(RuntimeException failure) {
				close(requestContext);
				sink.error(failure);
			}

			private void close(RequestContext context) {
				OpenCalls.this.open.remove(this);
				context.permit().close();
			}

		}.begin());
	}

	@Override
	public Mono<ReadOutcome> read(Key key, RequestContext requestContext) {
		return Mono.create((MonoSink<ReadOutcome> sink) -> {
			Call call = new Call("get", key, Value.EMPTY, requestContext) {

				@Override
				void answer() {
					answer(Value.EMPTY);
				}

				@Override
				void answer(Value value) {
					OpenCalls.this.open.remove(this);
					sink.success(new ReadOutcome.Found(new Entry.Live(stamp(), 3, Versioned.NEVER, value, null)));
				}

				@Override
				void fail(RuntimeException failure) {
					OpenCalls.this.open.remove(this);
					sink.error(failure);
				}

			};
			sink.onCancel(() -> {
				call.isCancelled = true;
				this.open.remove(call);
			});
			call.begin();
		});
	}

	@Override
	public RangeScan scan(ScanRequest request) {
		throw new UnsupportedOperationException();
	}

	private Timestamp stamp() {
		return new Timestamp(++this.stamps, 7);
	}

	/** One call. */
	abstract class Call {

		final String operation;

		final Key key;

		final Value value;

		final RequestContext requestContext;

		boolean isCancelled;

		private Call(String operation, Key key, Value value, RequestContext requestContext) {
			this.operation = operation;
			this.key = key;
			this.value = value;
			this.requestContext = requestContext;
		}

		void begin() {
			Error thrown = OpenCalls.this.fault;
			if (thrown != null) {
				OpenCalls.this.fault = null;
				this.requestContext.permit().close();
				throw thrown;
			}
			OpenCalls.this.all.add(this);
			OpenCalls.this.open.add(this);
			OpenCalls.this.mostOpen = Math.max(OpenCalls.this.mostOpen, OpenCalls.this.open.size());
		}

		/** Ends the call well; a read finds an empty value. */
		abstract void answer();

		abstract void fail(RuntimeException failure);

		/** Ends a read with a value. */
		void answer(Value found) {
			throw new IllegalStateException(this + " reads nothing, not even " + found);
		}

		@Override
		public String toString() {
			return this.operation + " " + this.key;
		}

	}

}
