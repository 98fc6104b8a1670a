package io.quorate.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The golden files stay as they were written. A new file gets a line here; a line that is
 * here stays as it is for as long as a node reads the version.
 */
class GoldenFilesTests {

	private static final Path FILES = Path.of("src/test/resources/io/quorate/golden");

	/** The first half of the SHA-256 of each file. */
	private static final String CHECKSUMS = """
			9e76f730193c7864 CLOCK-1
			e4e6d82d39807d29 LAYOUT-1
			a4698d0532e792c3 NODE-1
			7481eb44857ac602 POSITION
			8a7db7a834d230bc SHARES-1.gz
			b1767facfefc8dc0 cursor-1.txt
			f71ba5b876114999 directory-1.txt
			78496b7fce5665e7 directory-1.zip
			7e05908824f4dd4f small-1/HORIZON
			639755ee50171fda small-1/LINEAGE
			9e8cc1e7378231b8 small-1/PEERS
			05edefba9441490e small-1/REBUILD
			aa7e9c2eb70eb1b5 small-1/SALVAGED
			8c0ff413f6be30f9 small-1/SALVAGED.owed
			1c0e2e69c53ea6c6 small-1/SALVAGED.unfinished
			09743ec72a83ebda small-1/SCRUB
			8f28276221d98b07 small-1/SNAPSHOT
			97969d06bae3c3b7 storage.txt
			44cf56ac80b4ae41 table-1-descended.sst.gz
			882069518f861fe4 table-1-lz4.sst.gz
			896ceb88d2c8a0ce table-1-none.sst.gz
			9485292e4296d051 table-1-zstd.sst.gz
			20317c578ac9817f wire-1-large-reply.gz
			38aae3151feab94d wire-1-large-request.gz
			f075e33de6f1ea80 wire-1-later.txt
			4bf17dc9b3f9c697 wire-1.txt
			""";

	@Test
	void noGoldenFileHasChanged() throws IOException {
		Map<String, String> expected = CHECKSUMS.lines()
			.collect(Collectors.toMap((line) -> line.substring(17), (line) -> line.substring(0, 16), (one, _) -> one,
					TreeMap::new));
		try (Stream<Path> files = Files.walk(FILES)) {
			Map<String, String> found = files.filter(Files::isRegularFile)
				.collect(Collectors.toMap((file) -> FILES.relativize(file).toString(), GoldenFilesTests::checksum,
						(one, _) -> one, TreeMap::new));
			assertThat(found).isEqualTo(expected);
		}
	}

	/* They are in every copy of the project. */
	@Test
	void goldenFilesAreSmall() throws IOException {
		try (Stream<Path> files = Files.walk(FILES)) {
			assertThat(files.filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum())
				.isLessThan(300_000);
		}
	}

	private static String checksum(Path file) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
			return HexFormat.of().formatHex(hash, 0, 8);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		catch (NoSuchAlgorithmException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

}
