package io.quorate.api.request;

import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.Consistency;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ConsistencyParametersTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			'',              1, 1, 1
			'',              2, 2, 2
			'',              3, 2, 3
			'',              4, 3, 4
			'',              5, 3, 5
			replicas=2/3,    3, 2, 3
			replicas=2%2F3,  3, 2, 3
			replicas=1/1,    3, 1, 1
			ack=1&from=2,    3, 1, 2
			ack=3,           3, 3, 3
			ack=1,           5, 1, 5
			from=1,          3, 1, 1
			from=2,          3, 2, 2
			from=5,          5, 3, 5
			""")
	void understandsBothDialects(String query, int replicationFactor, int ack, int from) {
		assertThat(ConsistencyParameters.of(RawQuery.parse(query), replicationFactor).at(replicationFactor))
			.isEqualTo(new Consistency(ack, from));
	}

	@ParameterizedTest
	@CsvSource({ "'', 3, 5", "ack=2, 2, 5", "from=2, 2, 2", "replicas=2/3, 2, 3" })
	void aNumberThatIsLeftOutIsThatOfThePlan(String query, int ack, int from) {
		Consistency wanted = ConsistencyParameters.of(RawQuery.parse(query), 3);
		assertThat(wanted.at(5)).isEqualTo(new Consistency(ack, from));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			'',              3, 2, 3
			ack=2,           3, 2, 3
			from=3,          3, 2, 3
			replicas=2/3,    3, 2, 3
			ack=3,           3, 3, 3
			replicas=3/4,    4, 3, 4
			ack=4,           4, 4, 4
			""")
	void allReplicasAreThoseOfAnyLayout(String query, int replicationFactor, int ack, int from) {
		Consistency asked = ConsistencyParameters.of(RawQuery.parse(query), replicationFactor);
		Consistency all = ConsistencyParameters.ofAll(asked, replicationFactor);
		assertThat(all.at(replicationFactor)).isEqualTo(new Consistency(ack, from));
		assertThat(all.from()).isEqualTo(Consistency.ALL);
		assertThat(ConsistencyParameters.ofAll(all, replicationFactor)).isEqualTo(all);
		if (ack == replicationFactor / 2 + 1) {
			assertThat(all.at(9)).as("after a change of the factor").isEqualTo(new Consistency(5, 9));
		}
	}

	@ParameterizedTest
	@CsvSource({ "ack=1, 3", "from=2, 3", "replicas=3/3, 4", "replicas=2/4, 4" })
	void aMinorityIsNotAll(String query, int replicationFactor) {
		Consistency asked = ConsistencyParameters.of(RawQuery.parse(query), replicationFactor);
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> ConsistencyParameters.ofAll(asked, replicationFactor))
			.withMessageContaining("concerns all %d replicas", replicationFactor);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			replicas=0/3 | 3 | ack is 0: it must be between 1 and from, 3
			ack=0 | 3 | ack is 0
			from=0 | 3 | from is 0: it must be between 1 and the replication factor of this cluster, 3
			ack=4294967297 | 3 | above from
			from=4294967297 | 3 | above the replication factor
			ack=-1 | 3 | no whole number
			ack=+1 | 3 | bare '+'
			ack=1.0 | 3 | no whole number
			ack= | 3 | no whole number
			ack=a | 3 | no whole number
			ack=١ | 3 | percent-encoded
			ack=4 | 3 | above from
			ack=3&from=2 | 3 | above from
			replicas=3/2 | 3 | above from
			replicas=2/4 | 3 | above the replication factor
			from=2 | 1 | above the replication factor of this cluster, 1
			ack=2 | 1 | above from, 1
			ack=99999999999999999999 | 3 | between 1 and
			replicas=2 | 3 | ack/from
			replicas= | 3 | ack/from
			replicas=2/3/4 | 3 | no whole number
			replicas=/3 | 3 | no whole number
			replicas=2/3&ack=2 | 3 | beside
			replicas=2/3&from=3 | 3 | beside
			ack=1&ack=1 | 3 | only once
			replicas=1/1&replicas=1/1 | 3 | only once
			""")
	void refusesWhatTheClusterCannotDo(String query, int replicationFactor, String wrong) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> ConsistencyParameters.of(RawQuery.parse(query), replicationFactor))
			.withMessageContaining(wrong);
	}

}
