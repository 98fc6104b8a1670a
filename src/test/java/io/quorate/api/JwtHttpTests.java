package io.quorate.api;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.security.access.TestAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** JSON web tokens over a real port: the first request with one waits for its check. */
class JwtHttpTests extends HttpTests {

	private static final String FILE = """
			principals:
			  payments: {jwt: ["system:serviceaccount:shop:payments"], read: ["pay:"], write: ["pay:"]}
			  scraper: {jwt: ["system:serviceaccount:watch:prometheus"], metrics: true}
			  ops: {jwt: ["ops"], admin: true}
			""";

	@Autowired
	TestAccess access;

	@BeforeEach
	void close() {
		this.access.become(FILE);
		this.access.pass();
		this.coordinator.hold(Key.of("pay:1"), Value.wrap(new byte[] { 7 }));
	}

	@AfterEach
	void open() {
		this.access.reopen();
	}

	@Test
	void aTokenHasTheRightsOfItsSubject() throws IOException {
		String payments = field("system:serviceaccount:shop:payments");
		String scraper = field("system:serviceaccount:watch:prometheus");
		for (int i = 0; i < 3; i++) {
			assertThat(ask("GET", "/v0/entity/pay:1", payments).status).isEqualTo(200);
			assertProblem(ask("GET", "/v0/entity/pay", payments), 403, "forbidden", "`payments` may not read");
			assertThat(ask("GET", "/actuator/prometheus", payments).status).isEqualTo(403);
			assertThat(ask("GET", "/actuator/prometheus", scraper).status).isEqualTo(200);
			assertThat(ask("GET", "/actuator", scraper).status).isEqualTo(403);
			assertThat(ask("GET", "/actuator", field("ops")).status).isEqualTo(200);
		}
		byte[] value = new byte[300_000];
		value[0] = 3;
		assertThat(put("/v0/entity/pay:new", value, field("system:serviceaccount:shop:payments")).status)
			.isEqualTo(201);
		assertThat(this.coordinator.held(Key.of("pay:new"))).isNotNull();
	}

	@Test
	void aTokenThatIsRefusedWritesNothing() throws IOException {
		RawConnection.Answer refused = put("/v0/entity/pay:1", new byte[] { 1 }, field("unlisted"));
		assertProblem(refused, 401, "unauthenticated", "this needs valid credentials");
		assertThat(refused.headers).containsEntry("www-authenticate",
				"Bearer realm=\"quorate\", error=\"invalid_token\"");
		String valid = field("system:serviceaccount:shop:payments");
		for (String wrong : List.of(valid.substring(0, valid.length() - 9), valid.replace("Bearer ey", "Bearer eya"),
				"Authorization: Bearer ey.a.b")) {
			assertProblem(put("/v0/entity/pay:1", new byte[] { 1 }, wrong), 401, "unauthenticated",
					"this needs valid credentials");
		}
		assertThat(this.coordinator.held(Key.of("pay:1"))).isNotNull()
			.satisfies((entry) -> assertThat(entry.value().array()[0]).isEqualTo((byte) 7));
		try (RawConnection connection = connect()) {
			connection.request("PUT", "/v0/entity/pay:1", "Content-Length: 1000000", "Expect: 100-continue",
					field("unlisted too"));
			assertThat(connection.answer().status).as("instead of 100 Continue").isEqualTo(401);
		}
	}

	@Test
	void manyConnectionsBeginWithTheSameToken() throws IOException {
		String payments = field("system:serviceaccount:shop:payments");
		List<RawConnection> connections = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			connections.add(connect());
		}
		for (RawConnection connection : connections) {
			connection.request("GET", "/v0/entity/pay:1", payments);
		}
		for (RawConnection connection : connections) {
			assertThat(connection.answer().status).isEqualTo(200);
			assertThat(connection.request("GET", "/v0/entity/pay:1", payments).answer().status).isEqualTo(200);
			connection.close();
		}
	}

	@Test
	void aClientThatLeavesDuringTheCheckLeavesNothing() throws IOException {
		for (int i = 0; i < 50; i++) {
			this.access.become(FILE);
			try (RawConnection connection = connect()) {
				connection.request("PUT", "/v0/entity/pay:1", "Content-Length: 10",
						"Authorization: Bearer " + this.access.jwt("left " + i));
			}
			this.access.pass();
		}
		// The checks of the last ones may end, and count as failures, in this second.
		await().untilAsserted(() -> {
			this.access.pass();
			assertThat(ask("GET", "/v0/entity/pay:1", field("system:serviceaccount:shop:payments")).status)
				.isEqualTo(200);
		});
	}

	private String field(String subject) {
		return "Authorization: Bearer " + this.access.jwt(subject);
	}

}
