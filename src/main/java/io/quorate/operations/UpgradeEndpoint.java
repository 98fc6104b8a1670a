package io.quorate.operations;

import java.io.IOException;
import java.util.Map;

import io.quorate.membership.reports.Upgrade;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/upgrade}: {@code GET} shows the programs and format
 * levels of the members, {@code POST .../finalize} finalizes the upgrade. That answers
 * 200 when it is finalized, 409 while a member runs an older program or is not up, 500
 * when it is not known whether the disk has it, 404 when there is no such command.
 */
@Component
@WebEndpoint(id = "upgrade")
final class UpgradeEndpoint {

	private static final String FINALIZE = "finalize";

	private final Upgrade upgrade;

	UpgradeEndpoint(Upgrade upgrade) {
		this.upgrade = upgrade;
	}

	/** Shows the state of the upgrade. */
	@ReadOperation
	UpgradeStatus status() {
		return UpgradeStatus.of(this.upgrade);
	}

	/** Runs a command. Waits for the disk. */
	@WriteOperation
	WebEndpointResponse<Object> run(@Selector String command) {
		if (!command.equals(FINALIZE)) {
			return new WebEndpointResponse<>(
					Map.of("result", "there is no command '%s', but %s".formatted(command, FINALIZE)),
					WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			this.upgrade.finalizeFormats();
			return new WebEndpointResponse<>(status(), WebEndpointResponse.STATUS_OK);
		}
		catch (IllegalStateException refused) {
			return new WebEndpointResponse<>(Map.of("result", String.valueOf(refused.getMessage())), 409);
		}
		catch (IOException failure) {
			return new WebEndpointResponse<>(Map.of("result", String.valueOf(failure.getMessage())),
					WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR);
		}
	}

}
