package io.quorate.internode.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a connecting node when a trusted authority has signed its certificate, and the
 * certificate is that of a member ({@link MemberNames}). Other certificates of the same
 * authority are refused. A node that this node connects to is checked elsewhere, against
 * the host that was to be reached; and whether a certificate is that of the very member
 * that its handshake claims is checked with that handshake.
 */
final class MemberTrust extends X509ExtendedTrustManager {

	private final X509ExtendedTrustManager authorities;

	private final MemberNames members;

	/**
	 * A trust manager for these members.
	 * @param authorities check of the signatures
	 */
	MemberTrust(X509ExtendedTrustManager authorities, MemberNames members) {
		this.authorities = authorities;
		this.members = members;
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType);
		requireMember(chain[0]);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
			throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType, socket);
		requireMember(chain[0]);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
			throws CertificateException {
		this.authorities.checkClientTrusted(chain, authType, engine);
		requireMember(chain[0]);
	}

	private void requireMember(X509Certificate certificate) throws CertificateException {
		String objection = this.members.objection(certificate);
		if (objection != null) {
			throw new CertificateException(objection);
		}
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
			throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType, socket);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
			throws CertificateException {
		this.authorities.checkServerTrusted(chain, authType, engine);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return this.authorities.getAcceptedIssuers();
	}

}
