package io.quorate.membership.reports;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;

/** The version of the software, {@code unknown} outside a build. */
public record NodeVersion(String version) {

	private static final String UNKNOWN = "unknown";

	/** The version of a build. */
	public static NodeVersion of(ObjectProvider<BuildProperties> build) {
		BuildProperties known = build.getIfAvailable();
		String version = (known != null) ? known.getVersion() : null;
		return new NodeVersion((version != null) ? version : UNKNOWN);
	}

}
