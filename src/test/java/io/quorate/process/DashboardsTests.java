package io.quorate.process;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quorate.process.WatchFiles.Panel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * That each dashboard has its rows and panels where Grafana looks for them: those of a
 * closed row in it, and no two at one place.
 */
class DashboardsTests {

	private static final int WIDTH = 24;

	private static final Pattern LABEL = Pattern.compile("\\{\\{\\w+}}");

	private static Stream<Arguments> dashboards() {
		return WatchFiles.dashboards()
			.stream()
			.map((dashboard) -> arguments(named(dashboard.get("title").asString(), dashboard)));
	}

	private static Stream<Arguments> panelsWithStates() {
		return WatchFiles.panels()
			.stream()
			.filter(Panel::hasStates)
			.map((panel) -> arguments(named(panel.toString(), panel)));
	}

	@ParameterizedTest
	@MethodSource("dashboards")
	void everyPanelAndEveryRowHasItsOwnId(JsonNode dashboard) {
		assertThat(WatchFiles.panelsAndRows(dashboard).map((panel) -> panel.get("id").asInt())).doesNotHaveDuplicates()
			.allMatch((id) -> id > 0);
	}

	@ParameterizedTest
	@MethodSource("dashboards")
	void theTestsSeeEveryQueryOfADashboard(JsonNode dashboard) {
		int queries = dashboard.get("panels").findValues("targets").stream().mapToInt(JsonNode::size).sum();
		assertThat(WatchFiles.panels()
			.stream()
			.filter((panel) -> panel.dashboard().equals(dashboard.get("title").asString()))
			.mapToInt((panel) -> panel.queries().size())
			.sum()).isEqualTo(queries).isPositive();
	}

	@ParameterizedTest
	@MethodSource("dashboards")
	void theFirstRowIsOpenAndDetailsAreClosed(JsonNode dashboard) {
		List<JsonNode> rows = dashboard.get("panels").valueStream().filter(WatchFiles::isRow).toList();
		assertThat(dashboard.at("/panels/0")).isEqualTo(rows.getFirst());
		assertThat(isClosed(rows.getFirst())).isFalse();
		assertThat(rows).anyMatch(DashboardsTests::isClosed);
		assertThat(rows).extracting((row) -> row.get("title").asString()).doesNotHaveDuplicates();
	}

	/*
	 * Grafana shows what follows a closed row on its own level as if it were of no row.
	 */
	@ParameterizedTest
	@MethodSource("dashboards")
	void aClosedRowHoldsItsPanelsAndAnOpenOnePrecedesThem(JsonNode dashboard) {
		List<JsonNode> shown = dashboard.get("panels").valueStream().toList();
		for (int i = 0; i < shown.size(); i++) {
			JsonNode row = shown.get(i);
			if (WatchFiles.isRow(row)) {
				boolean isFollowed = i + 1 < shown.size() && !WatchFiles.isRow(shown.get(i + 1));
				assertThat(row.get("panels").isEmpty()).as(row.get("title").asString()).isEqualTo(!isClosed(row));
				assertThat(isFollowed).as(row.get("title").asString()).isEqualTo(!isClosed(row));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("dashboards")
	void noTwoPanelsAreAtOnePlace(JsonNode dashboard) {
		List<JsonNode> shown = dashboard.get("panels").valueStream().toList();
		haveTheirOwnPlaces(shown);
		assertThat(shown).extracting((panel) -> Place.of(panel).y()).isSorted();
		for (JsonNode row : shown.stream().filter(DashboardsTests::isClosed).toList()) {
			List<JsonNode> opened = row.get("panels").valueStream().toList();
			haveTheirOwnPlaces(opened);
			// Grafana keeps the distance of the first from the row.
			assertThat(Place.of(opened.getFirst()).y()).isEqualTo(Place.of(row).y() + 1);
			assertThat(opened).extracting((panel) -> Place.of(panel).y()).isSorted();
		}
	}

	@ParameterizedTest
	@MethodSource("panelsWithStates")
	void everyStateHasItsNameAndItsColour(Panel panel) {
		List<JsonNode> states = panel.json()
			.at("/fieldConfig/defaults/mappings")
			.valueStream()
			.flatMap((mapping) -> mapping.get("options").valueStream())
			.toList();
		assertThat(states).hasSizeGreaterThan(1)
			.extracting((state) -> state.get("text").asString())
			.doesNotHaveDuplicates()
			.allMatch((text) -> !text.isBlank());
		assertThat(states).extracting((state) -> state.get("color").asString())
			.doesNotHaveDuplicates()
			.allMatch((color) -> !color.isBlank());
		assertThat(panel.queries()).allMatch((query) -> LABEL.matcher(query.legend()).find(), "names what it is of");
	}

	private static void haveTheirOwnPlaces(List<JsonNode> panels) {
		List<Place> taken = new ArrayList<>();
		for (JsonNode panel : panels) {
			Place place = Place.of(panel);
			assertThat(place.isInTheGrid()).as(panel.get("title").asString()).isTrue();
			assertThat(taken).as(panel.get("title").asString()).noneMatch(place::meets);
			taken.add(place);
		}
	}

	private static boolean isClosed(JsonNode panel) {
		return WatchFiles.isRow(panel) && panel.get("collapsed").asBoolean();
	}

	/** The place of a panel in the grid of its dashboard. */
	private record Place(int x, int y, int width, int height) {

		static Place of(JsonNode panel) {
			JsonNode grid = panel.get("gridPos");
			return new Place(grid.get("x").asInt(), grid.get("y").asInt(), grid.get("w").asInt(),
					grid.get("h").asInt());
		}

		boolean isInTheGrid() {
			return this.x >= 0 && this.y >= 0 && this.width > 0 && this.height > 0 && this.x + this.width <= WIDTH;
		}

		boolean meets(Place other) {
			return this.x < other.x + other.width && other.x < this.x + this.width && this.y < other.y + other.height
					&& other.y < this.y + this.height;
		}

	}

}
