package io.quorate;

import java.util.List;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails the test class after which a leak of a buffer is noticed, and the whole run when
 * one is noticed at its end. The class that is blamed may be a later one than the class
 * that leaked: the message says where the buffer was used.
 * <p>
 * Registered for every test by the service file.
 */
public final class NoBufferLeaks implements BeforeAllCallback, AfterAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		context.getRoot().getStore(Namespace.create(NoBufferLeaks.class)).computeIfAbsent(AtTheEnd.class);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		failOnLeaks();
	}

	static void searchAndFail() throws InterruptedException {
		BufferLeaks.search();
		failOnLeaks();
	}

	private static void failOnLeaks() {
		List<String> found = BufferLeaks.drain();
		if (!found.isEmpty()) {
			throw new AssertionError(
					"LEAK: %d buffer(s) were not released: %s".formatted(found.size(), String.join("\n", found)));
		}
	}

	/** Closed with the root of all tests, which in a fork of the build is each class. */
	@SuppressWarnings("try")
	static final class AtTheEnd implements AutoCloseable {

		@Override
		public void close() throws InterruptedException {
			searchAndFail();
		}

	}

}
