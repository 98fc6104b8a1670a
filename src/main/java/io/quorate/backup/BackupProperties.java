package io.quorate.backup;

import java.nio.file.Path;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The directory of the node's backups, and the number that is kept.
 *
 * @param directory the directory, of this node alone; without it {@code backups} in the
 * directory of the store. If it is on another disk, everything is copied each time.
 * @param keep number of backups that are kept; with one more the oldest is deleted
 */
@Validated
@ConfigurationProperties("quorate.backup")
public record BackupProperties(@Nullable Path directory, @DefaultValue("2") @Min(1) @Max(1000) int keep) {

	/** Name of the default directory in that of the store. */
	static final String IN_STORE = "backups";

	/** Returns the directory of backups, by the store's directory. */
	Path directory(Path store) {
		return (this.directory != null) ? this.directory : store.resolve(IN_STORE);
	}

}
