package io.quorate.spring.boot.config;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataResource;

/** The keys with one prefix as configuration. */
final class QuorateConfigDataResource extends ConfigDataResource {

	private final String prefix;

	private final boolean isOfProfile;

	private final @Nullable Duration patience;

	QuorateConfigDataResource(String prefix, boolean isOfProfile, @Nullable Duration patience) {
		this.prefix = prefix;
		this.isOfProfile = isOfProfile;
		this.patience = patience;
	}

	/** Returns the beginning of the keys, with a slash at its end. */
	String prefix() {
		return this.prefix;
	}

	boolean isOfProfile() {
		return this.isOfProfile;
	}

	/**
	 * Returns how long a node is looked for, {@code null} if the application starts
	 * without.
	 */
	@Nullable Duration patience() {
		return this.patience;
	}

	boolean mayBeEmpty() {
		return this.isOfProfile || this.patience == null;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof QuorateConfigDataResource resource && this.prefix.equals(resource.prefix);
	}

	@Override
	public int hashCode() {
		return this.prefix.hashCode();
	}

	@Override
	public String toString() {
		return QuorateConfigDataLocationResolver.SCHEME + this.prefix;
	}

}
