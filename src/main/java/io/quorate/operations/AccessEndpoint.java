package io.quorate.operations;

import java.util.List;

import io.quorate.security.access.AccessOverview;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code GET /actuator/access}: the principals of the access file with their
 * rights, and of each token the first digits of its hash and its last use on this node,
 * which shows when an old one can be removed.
 */
@Component
@WebEndpoint(id = "access")
final class AccessEndpoint {

	private final AccessOverview access;

	AccessEndpoint(AccessOverview access) {
		this.access = access;
	}

	@ReadOperation
	Answer read() {
		return new Answer(this.access.isOpen(), this.access.issuers(), this.access.rows());
	}

	/**
	 * The answer.
	 *
	 * @param open whether clients need no credentials, because there is no access file
	 * @param issuers the issuers of JSON web tokens that are credentials
	 * @param principals the principals by name
	 */
	record Answer(boolean open, List<AccessOverview.Issuer> issuers, List<AccessOverview.Row> principals) {
	}

}
