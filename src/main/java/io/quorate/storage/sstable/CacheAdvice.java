package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Tells the kernel which parts of a file need not stay in the page cache
 * ({@code posix_fadvise}). Advice only: where it cannot be given, the parts stay until
 * something else needs the room.
 */
final class CacheAdvice {

	private static final int READ_ONLY = 0;

	/* The same value on Linux and FreeBSD; macOS has no such function. */
	private static final int DONT_NEED = 4;

	private static final @Nullable CacheAdvice ADVICE = find();

	private final MethodHandle open;

	private final MethodHandle advise;

	private final MethodHandle close;

	private CacheAdvice(MethodHandle open, MethodHandle advise, MethodHandle close) {
		this.open = open;
		this.advise = advise;
		this.close = close;
	}

	/** Releases a durable part of a file from the page cache; dirty pages stay there. */
	static void dontNeed(Path file, long offset, long length) {
		if (ADVICE == null) {
			return;
		}
		try (Arena arena = Arena.ofConfined()) {
			ADVICE.give(arena.allocateFrom(file.toString()), offset, length);
		}
		catch (RuntimeException | Error fault) {
			throw fault;
		}
		catch (Throwable impossible) {
			throw new IllegalStateException("a call of the C library has thrown", impossible);
		}
	}

	/* An error means that the kernel ignores the advice, which needs no handling. */
	private void give(MemorySegment path, long offset, long length) throws Throwable {
		int descriptor = (int) this.open.invokeExact(path, READ_ONLY);
		if (descriptor >= 0) {
			int _ = (int) this.advise.invokeExact(descriptor, offset, length, DONT_NEED);
			int _ = (int) this.close.invokeExact(descriptor);
		}
	}

	@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
									// elsewhere
	private static @Nullable CacheAdvice find() {
		Linker linker = Linker.nativeLinker();
		SymbolLookup library = linker.defaultLookup();
		MemorySegment advise = library.find("posix_fadvise").orElse(null);
		MemorySegment open = library.find("open").orElse(null);
		MemorySegment close = library.find("close").orElse(null);
		if (advise == null || open == null || close == null) {
			return null;
		}
		return new CacheAdvice(
				linker.downcallHandle(open,
						FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
						Linker.Option.firstVariadicArg(2)),
				linker.downcallHandle(advise,
						FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
								ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT)),
				linker.downcallHandle(close, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
	}

}
