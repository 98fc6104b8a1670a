package io.quorate.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;

import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.StoreOpening;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Stores in this process, without a node around them. */
final class LocalStores {

	private LocalStores() {
	}

	/**
	 * A store with a node's defaults.
	 * @param properties what is different, below {@code quorate.storage}
	 */
	static LsmStore open(Path directory, Map<String, String> properties) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		source.put("quorate.storage.directory", directory.toString());
		properties.forEach((name, value) -> source.put("quorate.storage." + name, value));
		return StoreOpening.open(new Binder(source).bindOrCreate("quorate.storage", StorageProperties.class),
				PurgePolicy.alone(() -> 0));
	}

	/** Size of all files in a directory, some of which may go away meanwhile. */
	static long sizeBytes(Path directory) throws IOException {
		long[] size = { 0 };
		Files.walkFileTree(directory, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				size[0] += attributes.size();
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
				if (failure instanceof NoSuchFileException) {
					return FileVisitResult.CONTINUE;
				}
				throw failure;
			}

		});
		return size[0];
	}

}
