package io.quorate.storage.engine;

import io.quorate.storage.Compression;
import io.quorate.storage.StorageProperties.Sync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The answers of a store are those of its model. */
class StoreModelTests extends StoreModelFixture {

	@ParameterizedTest
	@EnumSource
	void theStoreAnswersAsItsModelThroughFlushesCompactionsAndCrashes(Sync mode) throws Exception {
		this.sync = mode;
		play();
	}

	@ParameterizedTest
	@EnumSource
	void itDoesSoHoweverItsTablesAreCompressed(Compression tables) throws Exception {
		this.sync = Sync.NEVER;
		this.compression = tables;
		play();
	}

	@Test
	void itDoesSoWhenEachStartCompressesInAnotherWay() throws Exception {
		this.sync = Sync.NEVER;
		this.isMixed = true;
		play();
	}

}
