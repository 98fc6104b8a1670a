package io.quorate.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The token of a client. No text of this class has it. */
final class Token {

	/* RFC 6750. The JDK prints a header that it refuses, so no such one comes to it. */
	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

	private final @Nullable String fixed;

	private final @Nullable Supplier<String> source;

	private Token(@Nullable String fixed, @Nullable Supplier<String> source) {
		this.fixed = fixed;
		this.source = source;
	}

	static Token none() {
		return new Token(null, null);
	}

	static Token of(String token) {
		return new Token(checked(token), null);
	}

	static Token of(Supplier<String> source) {
		return new Token(null, source);
	}

	static Token of(Path file) {
		return new Token(null, new TokenFile(file));
	}

	boolean isThere() {
		return this.fixed != null || this.source != null;
	}

	/**
	 * Returns the present token, {@code null} without one. A source may block: it runs on
	 * the executor.
	 */
	CompletableFuture<@Nullable String> present(Executor executor) {
		CompletableFuture<@Nullable String> present = new CompletableFuture<>();
		Supplier<String> from = this.source;
		if (from == null) {
			present.complete(this.fixed);
			return present;
		}
		try {
			executor.execute(() -> read(from, present));
		}
		catch (RuntimeException | Error failure) {
			// There may be no thread for it, which is an error of the JVM.
			present.completeExceptionally(new TokenException("the token source has no thread", failure));
		}
		return present;
	}

	private static void read(Supplier<String> source, CompletableFuture<@Nullable String> present) {
		try {
			present.complete(checked(source.get()));
		}
		catch (TokenException failure) {
			present.completeExceptionally(failure);
		}
		catch (RuntimeException | Error failure) {
			// Its text may have the token. Also that of a client which the source has of
			// its own: it says nothing of this call and its nodes.
			present.completeExceptionally(
					new TokenException("the token source has failed: " + failure.getClass().getName(), null));
		}
	}

	private static String checked(@Nullable String token) {
		if (token == null || !TOKEN.matcher(token).matches()) {
			throw new TokenException("the token must have letters, digits and -._~+/ alone", null);
		}
		return token;
	}

	@Override
	public String toString() {
		return isThere() ? "a token" : "no token";
	}

	/** A file with a token, which is read again when it has changed. */
	private static final class TokenFile implements Supplier<String> {

		private final Path path;

		private volatile @Nullable Version known;

		TokenFile(Path path) {
			this.path = path;
		}

		@Override
		public String get() {
			try {
				BasicFileAttributes attributes = Files.readAttributes(this.path, BasicFileAttributes.class);
				Version version = this.known;
				if (version == null || !version.isOf(attributes)) {
					String token = Files.readString(this.path, StandardCharsets.ISO_8859_1).strip();
					version = new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey(),
							token);
					this.known = version;
				}
				return version.token;
			}
			catch (IOException failure) {
				throw new TokenException("the token file cannot be read: " + reason(failure), failure);
			}
		}

		private String reason(IOException failure) {
			if (failure instanceof NoSuchFileException) {
				return "there is no file " + this.path;
			}
			return this.path + ((failure instanceof AccessDeniedException) ? ": permission denied"
					: ": " + failure.getMessage());
		}

	}

	/** One content of a file. */
	private static final class Version {

		private final Object time;

		private final long size;

		private final @Nullable Object file;

		private final String token;

		Version(Object time, long size, @Nullable Object file, String token) {
			this.time = time;
			this.size = size;
			this.file = file;
			this.token = token;
		}

		boolean isOf(BasicFileAttributes attributes) {
			return this.time.equals(attributes.lastModifiedTime()) && this.size == attributes.size()
					&& (this.file == null || this.file.equals(attributes.fileKey()));
		}

	}

}
