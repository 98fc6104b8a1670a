package io.quorate;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Objects;

import javax.net.ssl.X509ExtendedKeyManager;

import org.springframework.boot.ssl.SslBundle;

/**
 * Shows its certificate although the server does not ask for one of its authority.
 */
public final class InsistentKeys extends X509ExtendedKeyManager {

	private final X509ExtendedKeyManager keys;

	private final String alias;

	/** The first key of a bundle. */
	public InsistentKeys(SslBundle bundle) throws GeneralSecurityException {
		this.keys = (X509ExtendedKeyManager) bundle.getManagers().getKeyManagers()[0];
		this.alias = Objects.requireNonNull(bundle.getStores().getKeyStore()).aliases().nextElement();
	}

	@Override
	public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
		return this.alias;
	}

	@Override
	public String[] getClientAliases(String type, Principal[] issuers) {
		return new String[] { this.alias };
	}

	@Override
	public String[] getServerAliases(String type, Principal[] issuers) {
		return new String[0];
	}

	@Override
	public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
		return this.alias;
	}

	@Override
	public X509Certificate[] getCertificateChain(String its) {
		return certificates();
	}

	private X509Certificate[] certificates() {
		X509Certificate[] chain = this.keys.getCertificateChain(this.alias);
		return (chain != null) ? chain : new X509Certificate[0];
	}

	@Override
	public PrivateKey getPrivateKey(String its) {
		return this.keys.getPrivateKey(this.alias);
	}

}
