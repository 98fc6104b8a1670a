package io.quorate.storage.sstable;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

import org.jspecify.annotations.Nullable;

/**
 * Advises the kernel of the coming reads of a mapping's pages ({@code posix_madvise}).
 * Advice only: where it cannot be given, reads are slower but right.
 * <p>
 * Without it the kernel reads ahead at each page that is not in memory, as much as the
 * device is set up for: megabytes for a node of some kilobytes. Where tables are larger
 * than the memory that is left for them, that evicts the pages of all other reads.
 */
final class PagingAdvice {

	/* The same values on Linux, macOS and the BSDs. */
	private static final int RANDOM = 1;

	private static final int WILL_NEED = 3;

	private static final @Nullable MethodHandle ADVISE = advise();

	private PagingAdvice() {
	}

	/** Pages are read one by one, in no order. */
	static void random(MemorySegment mapping) {
		give(mapping, RANDOM);
	}

	/** All of this part is read soon: one request to the disk instead of one a page. */
	static void willNeed(MemorySegment part) {
		give(part, WILL_NEED);
	}

	private static void give(MemorySegment part, int advice) {
		MethodHandle advise = ADVISE;
		if (advise == null) {
			return;
		}
		try {
			// An error means that the kernel ignores the advice, which needs no handling.
			int _ = (int) advise.invokeExact(part, part.byteSize(), advice);
		}
		catch (RuntimeException | Error closed) {
			throw closed;
		}
		catch (Throwable impossible) {
			throw new IllegalStateException("a call of the C library has thrown", impossible);
		}
	}

	@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
									// elsewhere
	private static @Nullable MethodHandle advise() {
		Linker linker = Linker.nativeLinker();
		return linker.defaultLookup()
			.find("posix_madvise")
			.map((function) -> linker.downcallHandle(function,
					FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
							ValueLayout.JAVA_INT)))
			.orElse(null);
	}

}
