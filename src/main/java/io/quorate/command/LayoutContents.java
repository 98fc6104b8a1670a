package io.quorate.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import io.quorate.membership.RecordedLayout;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.inspect.Inspect;
import io.quorate.storage.inspect.Section;

/** The layouts that a directory or a backup has recorded, in an inspection. */
final class LayoutContents implements Inspect.Addition {

	@Override
	public List<Section> sections(Path directory, Consumer<String> damages) throws IOException {
		Section versions = new Section("layout", "version", "hash", "state", "replicationFactor", "change", "floors");
		Section members = new Section("members", "member", "zone", "address", "part", "storageId");
		try {
			RecordedLayout recorded = RecordedLayout.read(directory);
			if (recorded != null) {
				recorded.versions()
					.forEach((its) -> versions.add(its.layout().version(), "%016x".formatted(its.layout().hash()),
							its.state().word(), its.replicationFactor(), its.change(), its.floors()));
				recorded.members()
					.forEach((its) -> members.add(its.id(), its.zone(), its.address(), its.part(), its.storageId()));
			}
		}
		catch (StorageCorruptedException damage) {
			damages.accept(String.valueOf(damage.getMessage()));
		}
		return List.of(versions, members);
	}

}
