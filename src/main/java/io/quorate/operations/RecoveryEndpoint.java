package io.quorate.operations;

import java.util.Map;

import io.quorate.repair.rebuild.OperatorCommands;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code POST /actuator/recovery/{command}}: the decisions of an operator
 * after a loss. Answers 200 when the command has taken effect, 409 when it makes no sense
 * now, 400 when there is no such command; there is nothing to read here.
 */
@Component
@WebEndpoint(id = "recovery")
final class RecoveryEndpoint {

	private final OperatorCommands operatorCommands;

	RecoveryEndpoint(OperatorCommands operatorCommands) {
		this.operatorCommands = operatorCommands;
	}

	/** Runs a command, for a request without a body and a content type. */
	@WriteOperation
	WebEndpointResponse<Map<String, String>> run(@Selector String command) {
		return run(command, null);
	}

	/**
	 * Runs a command.
	 * @param member for {@code declare-lost}: id of the member
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, String>> run(@Selector String command, @Nullable String member) {
		try {
			switch (command) {
				case "rebuild" -> this.operatorCommands.rebuild();
				case "end-rebuild" -> this.operatorCommands.endRebuild();
				case "declare-lost" -> this.operatorCommands.declareLost((member != null) ? member : "");
				case "new-incarnation" -> this.operatorCommands.beginIncarnation();
				default -> {
					return answer(WebEndpointResponse.STATUS_BAD_REQUEST,
							"there is no command '%s', but rebuild, end-rebuild, declare-lost and new-incarnation"
								.formatted(command));
				}
			}
			return answer(WebEndpointResponse.STATUS_OK, "done");
		}
		catch (IllegalStateException refused) {
			return answer(409, String.valueOf(refused.getMessage()));
		}
	}

	private static WebEndpointResponse<Map<String, String>> answer(int status, String result) {
		return new WebEndpointResponse<>(Map.of("result", result), status);
	}

}
