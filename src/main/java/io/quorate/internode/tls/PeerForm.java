package io.quorate.internode.tls;

import io.quorate.internode.TlsMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The form in which one peer is reached, as far as it is known. While encryption is being
 * turned on or off, a peer that does not speak TLS is reached in plain form; but a peer
 * that has spoken it does not become one by closing connections. It becomes one when it
 * connects in plain form itself, because a node does so to another that takes both only
 * if it speaks no TLS. Safe for any number of threads.
 */
public final class PeerForm {

	private static final Logger log = LoggerFactory.getLogger(PeerForm.class);

	private final String peer;

	private final TlsMode mode;

	private volatile boolean speaksTls;

	private volatile boolean isSaid;

	PeerForm(String peer, TlsMode mode) {
		this.peer = peer;
		this.mode = mode;
	}

	/** A connection to the peer is encrypted: its certificate was in order. */
	void encrypted() {
		this.speaksTls = true;
		this.isSaid = false;
	}

	/** The peer has connected to this node without encryption. */
	public void cameInPlain() {
		this.speaksTls = false;
	}

	/**
	 * A connection was closed before the peer has sent any record of TLS.
	 * @return whether the next one may be plain
	 */
	boolean unanswered() {
		if (this.mode != TlsMode.OPTIONAL || this.speaksTls) {
			return false;
		}
		if (!this.isSaid) {
			this.isSaid = true;
			log.info("Peer {} does not speak TLS: this node connects to it without (quorate.internode.tls=optional)",
					this.peer);
		}
		return true;
	}

	/** Whether a plain connection to the peer can be replaced by an encrypted one. */
	public boolean hasBecomeEncrypted() {
		return this.mode == TlsMode.OPTIONAL && this.speaksTls;
	}

	boolean isPlainOnly() {
		return this.mode == TlsMode.OFF;
	}

}
