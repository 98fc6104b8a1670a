package io.quorate.internode.wiring;

import java.util.SortedSet;

import io.quorate.internode.tls.Encryption;
import io.quorate.membership.MemberEncryption;

/** Tells operators of the forms of the connections between this node and its peers. */
record ConnectionForms(Encryption encryption, Internode internode) implements MemberEncryption {

	@Override
	public String mode() {
		return this.encryption.mode().word();
	}

	@Override
	public SortedSet<String> membersInPlain() {
		return this.internode.membersInPlain();
	}

}
