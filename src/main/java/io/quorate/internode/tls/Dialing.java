package io.quorate.internode.tls;

import java.util.function.Function;

import reactor.netty.tcp.TcpClient;

/**
 * The attempts to connect to a peer for one purpose, each by TLS or in plain form: by TLS
 * unless the attempt before has shown that the peer does not speak it. Safe for any
 * number of threads.
 */
public final class Dialing {

	private final PeerForm form;

	private final TcpClient plain;

	private final TcpClient encrypted;

	private volatile boolean plainNext;

	/**
	 * Attempts of which none was made yet.
	 * @param encrypted makes the client for TLS, which runs the task that it is given
	 * when the peer closes a connection before any record of TLS
	 */
	Dialing(PeerForm form, TcpClient plain, Function<Runnable, TcpClient> encrypted) {
		this.form = form;
		this.plain = plain;
		this.encrypted = encrypted.apply(() -> this.plainNext = form.unanswered());
	}

	/** The client for the next attempt. */
	public TcpClient next() {
		boolean isPlain = this.form.isPlainOnly() || this.plainNext;
		this.plainNext = false;
		return isPlain ? this.plain : this.encrypted;
	}

}
