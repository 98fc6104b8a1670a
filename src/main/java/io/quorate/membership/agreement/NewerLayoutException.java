package io.quorate.membership.agreement;

import io.quorate.membership.layout.LayoutException;

/**
 * The failure of a node to serve a layout that a newer program decided: its form is not
 * known here.
 */
public final class NewerLayoutException extends LayoutException {

	NewerLayoutException(long version, IllegalArgumentException unknown) {
		super("version %d of the layout (file LAYOUT) was decided by a newer program: %s. Start that program"
			.formatted(version, unknown.getMessage()), unknown);
	}

}
