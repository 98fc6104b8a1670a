package io.quorate;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * The leaks of Netty's buffers, and of whatever else it counts, found in this process.
 * Netty notices that something was dropped without a release when the collector has taken
 * it and a next one of its kind is taken.
 */
final class BufferLeaks {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();

	private static final Queue<RecordingDetector<?>> DETECTORS = new ConcurrentLinkedQueue<>();

	private static final AtomicLong TAKEN = new AtomicLong();

	private static volatile long takenAtLastSearch;

	private BufferLeaks() {
	}

	/** Begins to watch; before Netty's buffers are first used, or it sees none. */
	static void watch() {
		ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
			@Override
			@SuppressWarnings("deprecation") // Netty's own factories call it
			public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval,
					long maxActive) {
				RecordingDetector<T> detector = new RecordingDetector<>(resource, samplingInterval);
				DETECTORS.add(detector);
				return detector;
			}
		});
	}

	/** Takes out the leaks found since the last call. */
	static List<String> drain() {
		List<String> found = List.copyOf(FOUND);
		FOUND.removeAll(found);
		return found;
	}

	/**
	 * Lets the collector run, so that what was dropped by now is found. Where no buffer
	 * was taken since the last search it does nothing: a collection stops all threads,
	 * and a build has hundreds of searches.
	 */
	static void search() throws InterruptedException {
		if (TAKEN.get() > takenAtLastSearch) {
			collect();
			// References of one collection come in no order, those of the next behind
			// them.
			collect();
			DETECTORS.forEach(RecordingDetector::report);
			takenAtLastSearch = TAKEN.get();
		}
	}

	/* Until the collector has said that it has taken something dropped before. */
	@SuppressWarnings("ReferenceEquality") // a queue gives back the reference itself
	private static void collect() throws InterruptedException {
		ReferenceQueue<Object> taken = new ReferenceQueue<>();
		WeakReference<Object> dropped = new WeakReference<>(new Object(), taken);
		long end = System.nanoTime() + PATIENCE.toNanos();
		do {
			System.gc();
		}
		while (taken.remove(100) != dropped && System.nanoTime() < end);
	}

	private static final class RecordingDetector<T> extends ResourceLeakDetector<T> {

		@SuppressWarnings("deprecation") // as above
		RecordingDetector(Class<T> resource, int samplingInterval) {
			super(resource, samplingInterval);
		}

		@Override
		public @Nullable ResourceLeakTracker<T> track(T resource) {
			TAKEN.incrementAndGet();
			return super.track(resource);
		}

		/* Netty reports what the collector has taken when it tracks a next one. */
		@SuppressWarnings("unchecked") // it never looks at what it tracks
		void report() {
			T next = (T) new Object();
			ResourceLeakTracker<T> tracker = super.track(next);
			if (tracker != null) {
				tracker.close(next);
			}
		}

		@Override
		protected boolean needReport() {
			return true;
		}

		@Override
		protected void reportTracedLeak(String resourceType, String records) {
			FOUND.add(resourceType + records);
			super.reportTracedLeak(resourceType, records);
		}

		@Override
		protected void reportUntracedLeak(String resourceType) {
			FOUND.add(resourceType + " (no trace: -Dio.netty.leakDetection.level=paranoid gives one)");
			super.reportUntracedLeak(resourceType);
		}

	}

}
