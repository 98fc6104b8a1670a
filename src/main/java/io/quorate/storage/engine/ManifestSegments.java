package io.quorate.storage.engine;

import java.util.Map;

import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.wal.SegmentRegister;

/** The manifest as the place where the log's segments are recorded. */
record ManifestSegments(Manifest manifest) implements SegmentRegister {

	@Override
	public void made(long number) {
		// One that was made and not used by the process before is recorded already.
		if (number > this.manifest.live().lastSegment()) {
			this.manifest.append(VersionEdit.segmentMade(number));
		}
	}

	@Override
	public void forced(Map<Long, Long> lengths) {
		this.manifest.append(VersionEdit.segmentsForced(lengths));
	}

}
