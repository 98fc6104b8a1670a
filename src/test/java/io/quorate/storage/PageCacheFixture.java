package io.quorate.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The pages of a file in the page cache of the kernel. */
public final class PageCacheFixture {

	private PageCacheFixture() {
	}

	/** Has the kernel let go of a file, where it can. */
	public static void evict(Path file) throws IOException, InterruptedException {
		Process evicting = new ProcessBuilder("dd", "if=/dev/null", "of=" + file, "oflag=nocache",
				"conv=notrunc,fdatasync", "count=0", "status=none")
			.inheritIO()
			.start();
		assertThat(evicting.waitFor(1, TimeUnit.MINUTES)).isTrue();
	}

	/**
	 * The share of a file's pages whose second halves are in memory: the first halves are
	 * read when a table is opened.
	 */
	public static double secondHalves(Path file, int pageSizeBytes) throws IOException {
		int half = pageSizeBytes / 2;
		try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(file)) {
			long pages = channel.size() / pageSizeBytes;
			long loaded = 0;
			for (long page = 0; page < pages; page++) {
				loaded += channel.map(MapMode.READ_ONLY, page * pageSizeBytes + half, half, arena).isLoaded() ? 1 : 0;
			}
			return (double) loaded / pages;
		}
	}

}
