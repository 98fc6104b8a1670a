package io.quorate.operations.configuration;

import io.quorate.membership.FormerMemberException;
import io.quorate.membership.LayoutException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports configured members that are no cluster that this node belongs to. */
final class LayoutAnalyzer extends AbstractFailureAnalyzer<LayoutException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, LayoutException cause) {
		if (cause instanceof FormerMemberException) {
			return new FailureAnalysis("The node is no member: " + cause.getMessage(), null, cause);
		}
		return new FailureAnalysis("The members of the cluster are wrong: " + cause.getMessage() + ".",
				"Correct quorate.node.id, quorate.cluster.members or quorate.cluster.replication-factor."
						+ " The members and the factor are the same on all nodes.",
				cause);
	}

}
