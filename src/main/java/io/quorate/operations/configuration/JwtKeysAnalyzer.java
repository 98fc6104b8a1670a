package io.quorate.operations.configuration;

import io.quorate.security.jwt.JwtKeysException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports keys of an issuer of JSON web tokens that cannot be used. */
final class JwtKeysAnalyzer extends AbstractFailureAnalyzer<JwtKeysException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, JwtKeysException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Correct quorate.security.jwt.jwk-set-file (of a Kubernetes cluster: kubectl get --raw /openid/v1/jwks), or take quorate.security.jwt away: then no JSON web token is a credential.",
				cause);
	}

}
