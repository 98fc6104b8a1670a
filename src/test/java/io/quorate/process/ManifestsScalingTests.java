package io.quorate.process;

import java.util.Map;
import java.util.TreeMap;

import io.quorate.Handbook;
import io.quorate.membership.members.ClusterProperties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** The component by which pods join, and the policies about their number. */
class ManifestsScalingTests {

	private static final JsonNode PATCH = Manifests
		.one("components/scaling/stateful-set.yaml", "StatefulSet", "quorate")
		.at("/spec/template/spec");

	private static final String POD = "quorate-4";

	/* Kubernetes replaces the references to variables that come before. */
	private static Binder pod() {
		Map<String, Object> variables = new TreeMap<>();
		for (JsonNode variable : PATCH.at("/containers/0/env")) {
			String value = variable.path("value").asString(POD);
			for (Map.Entry<String, Object> before : variables.entrySet()) {
				value = value.replace("$(" + before.getKey() + ")", String.valueOf(before.getValue()));
			}
			variables.put(variable.get("name").asString(), value);
		}
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					variables));
		return Binder.get(environment);
	}

	@Test
	void aFurtherPodAsksToJoinByItsName() {
		ClusterProperties cluster = pod().bind("quorate.cluster", ClusterProperties.class).get();
		assertThat(cluster.joinByItself()).isTrue();
		String host = POD + "." + Manifests.statefulSet().at("/spec/serviceName").asString();
		assertThat(cluster.join()).isEqualTo("%s@%s:7100".formatted(POD, host));
		assertThat(cluster.joiningHosts()).singleElement().matches((hosts) -> hosts.covers(host));
		for (JsonNode member : Manifests.configuration("base").at("/cluster/members")) {
			assertThat(cluster.joiningHosts())
				.allMatch((hosts) -> hosts.covers(member.asString().replaceAll(".*@|:.*", "")));
		}
	}

	@Test
	void thePolicyForScalingTakesNoFewerThanTheFirstMembers() {
		JsonNode policy = Manifests.one("policy/least-members.yaml", "ValidatingAdmissionPolicy",
				"quorate-least-members");
		String label = policy.at("/spec/matchConstraints/namespaceSelector/matchExpressions/0/key").asString();
		assertThat(policy.at("/spec/variables/1/expression").asString())
			.isEqualTo("namespaceObject.metadata.labels['%s']".formatted(label));
		assertThat(policy.at("/spec/validations/0/expression").asString())
			.isEqualTo("variables.replicas == 0 || variables.replicas >= int(variables.least)");
		assertThat(
				Manifests.one("policy/least-members.yaml", "ValidatingAdmissionPolicyBinding", "quorate-least-members")
					.at("/spec/policyName")
					.asString())
			.isEqualTo("quorate-least-members");
		assertThat(Handbook.KUBERNETES.text()).contains("kubectl label namespace NAMESPACE %s=%d".formatted(label,
				Manifests.configuration("base").at("/cluster/members").size()));
	}

}
