package io.quorate.storage.engine;

import java.util.Map;

import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.wal.SegmentRegister;

/** The register of the log's segments, kept in the manifest. */
record ManifestSegments(Manifest manifest) implements SegmentRegister {

	@Override
	public void made(long number) {
		// A segment that the process before made and did not use is recorded already.
		if (number > this.manifest.live().lastSegment()) {
			this.manifest.append(VersionEdit.segmentMade(number));
		}
	}

	@Override
	public void forced(Map<Long, Long> lengths) {
		this.manifest.append(VersionEdit.segmentsForced(lengths));
	}

}
