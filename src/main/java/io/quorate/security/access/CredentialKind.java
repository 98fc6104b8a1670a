package io.quorate.security.access;

import io.quorate.meter.MeterByTag;

/** The kinds of credentials. */
enum CredentialKind {

	TOKEN, CERTIFICATE, JWT, NONE;

	/** The word for meters and logs. */
	String word() {
		return MeterByTag.word(this);
	}

}
