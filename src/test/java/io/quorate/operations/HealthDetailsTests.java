package io.quorate.operations;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The visibility of the details of health, by the addresses on which the servers listen.
 */
class HealthDetailsTests {

	private final HealthEndpointProperties health = new HealthEndpointProperties();

	private final ServerProperties server = new ServerProperties();

	private final ManagementServerProperties management = new ManagementServerProperties();

	/* A group may have a path on the port for clients. */
	@ParameterizedTest
	@CsvSource({ "127.0.0.1,,true,true", "::1,,true,true", "127.0.0.1,127.0.0.1,true,true", "0.0.0.0,,false,false",
			",,false,false", "10.1.2.3,,false,false", "0.0.0.0,127.0.0.1,true,false", "127.0.0.1,0.0.0.0,false,false" })
	void detailsAreShownOnThisMachine(@Nullable String clients, @Nullable String operators, boolean shown,
			boolean shownInGroups) throws UnknownHostException {
		listen(clients, operators);
		this.health.setShowDetails(Show.WHEN_AUTHORIZED);
		HealthEndpointGroups groups = processed();
		assertThat(isShown(groups.getPrimary())).isEqualTo(shown);
		assertThat(isShown(groups.get("readiness"))).isEqualTo(shownInGroups);
	}

	@ParameterizedTest
	@CsvSource({ "NEVER", "ALWAYS" })
	void anExplicitSettingOfTheOperatorIsKept(Show asked) throws UnknownHostException {
		listen("127.0.0.1", null);
		this.health.setShowDetails(asked);
		HealthEndpointGroup primary = mock(HealthEndpointGroup.class);
		HealthEndpointGroups groups = HealthEndpointGroups.of(primary, Map.of());
		assertThat(new HealthDetails(this.health, this.server, this.management, true)
			.postProcessHealthEndpointGroups(groups)).isSameAs(groups);
	}

	private void listen(@Nullable String clients, @Nullable String operators) throws UnknownHostException {
		if (clients != null) {
			this.server.setAddress(InetAddress.getByName(clients));
		}
		if (operators != null) {
			this.management.setAddress(InetAddress.getByName(operators));
		}
	}

	private HealthEndpointGroups processed() {
		HealthEndpointGroups groups = HealthEndpointGroups.of(mock(HealthEndpointGroup.class),
				Map.of("readiness", mock(HealthEndpointGroup.class)));
		return new HealthDetails(this.health, this.server, this.management, true)
			.postProcessHealthEndpointGroups(groups);
	}

	private static boolean isShown(@Nullable HealthEndpointGroup group) {
		return group != null && group.showDetails(SecurityContext.NONE) && group.showComponents(SecurityContext.NONE);
	}

}
