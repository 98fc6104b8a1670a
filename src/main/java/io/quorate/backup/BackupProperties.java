package io.quorate.backup;

import java.nio.file.Path;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Where backups of the node go, and how many stay.
 *
 * @param directory where they go, of this node alone; without it the directory
 * {@code backups} in that of the store. On another disk everything is copied each time.
 * @param keep how many are kept; with one more the oldest is deleted
 */
@Validated
@ConfigurationProperties("quorate.backup")
public record BackupProperties(@Nullable Path directory, @DefaultValue("2") @Min(1) @Max(1000) int keep) {

	/** Name of the directory in that of the store. */
	static final String IN_STORE = "backups";

	/** Where they go, by the store's directory. */
	Path directory(Path store) {
		return (this.directory != null) ? this.directory : store.resolve(IN_STORE);
	}

}
