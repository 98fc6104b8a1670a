package io.quorate.operations.configuration;

import io.quorate.membership.agreement.FormerMemberException;
import io.quorate.membership.agreement.NewerLayoutException;
import io.quorate.membership.layout.LayoutException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a layout, configured or decided, that is no cluster that this node can belong
 * to.
 */
final class LayoutAnalyzer extends AbstractFailureAnalyzer<LayoutException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, LayoutException cause) {
		return switch (cause) {
			case FormerMemberException _ ->
				new FailureAnalysis("The node is no member: " + cause.getMessage(), null, cause);
			case NewerLayoutException _ ->
				new FailureAnalysis("The program is too old: " + cause.getMessage() + ".", null, cause);
			default -> new FailureAnalysis("The members of the cluster are wrong: " + cause.getMessage() + ".",
					"Correct quorate.node.id, quorate.cluster.members or quorate.cluster.replication-factor."
							+ " The members and the factor are the same on all nodes.",
					cause);
		};
	}

}
