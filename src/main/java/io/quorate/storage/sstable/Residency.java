package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

import org.jspecify.annotations.Nullable;

/**
 * Asks the kernel which pages of a mapping are in memory ({@code mincore}). Where the
 * kernel cannot be asked, no page counts as in memory.
 */
final class Residency {

	/* Kernels have pages of this size or larger ones. */
	private static final int SMALLEST_PAGE_BYTES = 4096;

	private static final int LARGEST_PART_BYTES = 64 * 1024;

	private static final byte RESIDENT = 1;

	private static final @Nullable MethodHandle MINCORE = mincore();

	/* A byte for each page of the kernel. */
	private static final ThreadLocal<MemorySegment> ANSWER = ThreadLocal
		.withInitial(() -> Arena.ofAuto().allocate(LARGEST_PART_BYTES / SMALLEST_PAGE_BYTES));

	private Residency() {
	}

	/**
	 * Whether all of a part is in memory now. Not known, and so {@code false}, of a part
	 * that is larger than 64 KiB.
	 * @param part begins on a page of the kernel
	 */
	static boolean isResident(MemorySegment part) {
		MethodHandle mincore = MINCORE;
		if (mincore == null || part.byteSize() > LARGEST_PART_BYTES) {
			return false;
		}
		MemorySegment answer = ANSWER.get().fill(RESIDENT);
		try {
			int error = (int) mincore.invokeExact(part, part.byteSize(), answer);
			return error == 0 && isAllResident(answer);
		}
		catch (RuntimeException | Error closed) {
			throw closed;
		}
		catch (Throwable impossible) {
			throw new IllegalStateException("a call of the C library has thrown", impossible);
		}
	}

	/* Only the lowest bit of each byte has a meaning. */
	private static boolean isAllResident(MemorySegment answer) {
		for (long i = 0; i < answer.byteSize(); i++) {
			if ((answer.get(ValueLayout.JAVA_BYTE, i) & RESIDENT) == 0) {
				return false;
			}
		}
		return true;
	}

	@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
									// elsewhere
	private static @Nullable MethodHandle mincore() {
		Linker linker = Linker.nativeLinker();
		return linker.defaultLookup()
			.find("mincore")
			.map((function) -> linker.downcallHandle(function,
					FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
							ValueLayout.ADDRESS)))
			.orElse(null);
	}

}
