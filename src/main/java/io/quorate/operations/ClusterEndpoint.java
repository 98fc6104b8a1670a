package io.quorate.operations;

import io.quorate.membership.LayoutAgreement;
import io.quorate.membership.MemberReports;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/cluster}: {@code GET} shows the layout of the cluster,
 * the versions that the members have adopted, and the reasons for which the next one is
 * not decided.
 */
@Component
@WebEndpoint(id = "cluster")
final class ClusterEndpoint {

	private final LayoutAgreement agreement;

	private final MemberReports reports;

	ClusterEndpoint(LayoutAgreement agreement, MemberReports reports) {
		this.agreement = agreement;
		this.reports = reports;
	}

	/** Shows the layout. */
	@ReadOperation
	ClusterStatus status() {
		return ClusterStatus.of(this.agreement.status(this.reports));
	}

}
