package io.quorate.operations;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.quorate.backup.Backup;
import io.quorate.backup.BackupProgress;
import io.quorate.backup.BackupRefusedException;
import io.quorate.backup.Backups;
import io.quorate.backup.NoSuchBackupException;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.storage.DiskFullException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * The endpoint {@code /actuator/backup}: the backups of this node. {@code POST} takes
 * one, under a given {@code name} or one of its own, and answers 200 when it is complete,
 * 400 when the name is not an instant's, 409 when none can be taken now or not under that
 * name, 507 when there is no room, 500 when it could not be written; {@code GET} lists
 * them, and the progress of one that is being taken; {@code DELETE} of one by its name
 * deletes it, 404 when there is none. A refusal is answered with a problem document.
 */
@Component
@WebEndpoint(id = "backup")
final class BackupEndpoint {

	private static final int CONFLICT = 409;

	private static final int NO_ROOM = 507;

	private final Backups backups;

	BackupEndpoint(Backups backups) {
		this.backups = backups;
	}

	/** Lists the backups, with the progress of the one that is being taken. */
	@ReadOperation
	Map<String, Object> list() {
		Map<String, Object> listed = new LinkedHashMap<>();
		listed.put("directory", this.backups.directory().toString());
		listed.put("busy", this.backups.isBusy());
		BackupProgress underWay = this.backups.underWay();
		if (underWay != null) {
			listed.put("underWay", shown(underWay));
		}
		listed.put("backups", this.backups.present().stream().map(BackupEndpoint::shown).toList());
		return listed;
	}

	private static Map<String, Object> shown(BackupProgress its) {
		Map<String, Object> shown = new LinkedHashMap<>();
		shown.put("name", its.name());
		shown.put("bytes", its.bytes());
		its.bytesInAll().ifPresent((bytes) -> shown.put("bytesInAll", bytes));
		return shown;
	}

	/** Takes a backup under a name of the node's own, for a request without a body. */
	@WriteOperation
	Mono<WebEndpointResponse<Map<String, Object>>> take() {
		return take(null);
	}

	/**
	 * Takes a backup, which goes on if the client disconnects before its end.
	 * @param name the name that the backup shares with those of other nodes
	 */
	@WriteOperation
	Mono<WebEndpointResponse<Map<String, Object>>> take(@Nullable String name) {
		try {
			return answered(this.backups.take(name).thenApply(BackupEndpoint::shown));
		}
		catch (IllegalArgumentException wrong) {
			return Mono.just(problem(WebEndpointResponse.STATUS_BAD_REQUEST, "Bad Request", wrong));
		}
	}

	/**
	 * Deletes a backup.
	 * @param name as it is listed
	 */
	@DeleteOperation
	Mono<WebEndpointResponse<Map<String, Object>>> delete(@Selector String name) {
		return answered(this.backups.delete(name).thenApply((_) -> Map.of("result", "deleted")));
	}

	private static Mono<WebEndpointResponse<Map<String, Object>>> answered(
			CompletableFuture<Map<String, Object>> outcome) {
		return Mono.fromFuture(outcome.handle((body, failure) -> (failure == null) ? new WebEndpointResponse<>(body)
				: problem((failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
						: failure)),
				true);
	}

	private static WebEndpointResponse<Map<String, Object>> problem(Throwable failure) {
		return switch (failure) {
			case NoSuchBackupException none -> problem(WebEndpointResponse.STATUS_NOT_FOUND, "Not Found", none);
			case BackupRefusedException refused -> problem(CONFLICT, "Conflict", refused);
			case DiskFullException full -> problem(NO_ROOM, "Insufficient Storage", full);
			default -> problem(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, "Internal Server Error", failure);
		};
	}

	private static WebEndpointResponse<Map<String, Object>> problem(int status, String title, Throwable failure) {
		return new WebEndpointResponse<>(
				Map.of("title", title, "status", status, "detail", String.valueOf(failure.getMessage())), status,
				MediaType.APPLICATION_PROBLEM_JSON);
	}

	private static Map<String, Object> shown(Backup its) {
		Map<String, Object> shown = new LinkedHashMap<>();
		shown.put("name", its.name());
		shown.put("directory", its.directory().toString());
		shown.put("taken", Instant.ofEpochMilli(its.takenMillis()));
		shown.put("sequence", its.contents().sequence());
		shown.put("files", its.contents().files());
		shown.put("sizeBytes", its.contents().sizeBytes());
		RecordedLayout layout = its.layout();
		if (layout != null) {
			shown.put("layout", Map.of("version", layout.version().version(), "deciding", layout.deciding()));
		}
		if (!its.layoutUnknown().isEmpty()) {
			shown.put("layoutUnknown", its.layoutUnknown());
		}
		return shown;
	}

}
