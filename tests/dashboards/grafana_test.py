"""Expected texts and intervals are those of Grafana 13."""
import unittest

import grafana
import panels


class Intervals(unittest.TestCase):
    def test_the_step_is_rounded_and_at_least_a_scrape(self):
        for span, points, scrape, step in (
                (300, 400, 5, 5), (300, 400, 0.5, 1), (3 * 3600, 400, 15, 30), (3 * 3600, 1200, 15, 15),
                (86_400, 400, 15, 300), (30 * 86_400, 800, 15, 3600), (10, 2000, 0.001, 0.001)):
            with self.subTest(span=span, points=points):
                self.assertEqual(grafana.interval(span, points, scrape), step)

    def test_the_rate_interval_has_four_scrapes_or_a_step_and_a_scrape(self):
        for step, scrape, expected in ((5, 5, 20), (15, 15, 60), (60, 15, 75), (300, 15, 315)):
            with self.subTest(step=step):
                self.assertEqual(grafana.rate_interval(step, scrape), expected)

    def test_a_duration_is_one_of_prometheus(self):
        self.assertEqual([grafana.duration(seconds) for seconds in (75, 0.5)], ["75s", "500ms"])


class Texts(unittest.TestCase):
    def test_a_value_has_its_unit(self):
        for value, unit, expected in (
                (0, "short", "0"), (7, "short", "7"), (2.345, "short", "2.35"), (1500, "short", "1.50 K"),
                (2e6, "short", "2 Mil"), (0.0234, "short", "0.0234"),
                (0.5, "percentunit", "50%"), (0.12345, "percentunit", "12.3%"), (1, "percentunit", "100%"),
                (0, "bytes", "0 B"), (1024, "bytes", "1 KiB"), (15.25 * 2**20, "bytes", "15.3 MiB"),
                (0, "s", "0 s"), (2.5e-7, "s", "250 ns"), (0.00025, "s", "250 µs"), (0.0125, "s", "12.5 ms"),
                (1.25, "s", "1.25 s"), (60, "s", "1 min"), (90, "s", "1.50 mins"), (7200, "s", "2 hours"),
                (86_400, "s", "1 day"), (1_209_600, "s", "2 weeks"),
                (0.25, "ops", "0.250 ops/s"), (1500, "ops", "1.50K ops/s"), (12, "reqps", "12 req/s"),
                (3.25, "suffix:days", "3.25 days")):
            with self.subTest(value=value, unit=unit):
                self.assertEqual(grafana.shown(value, {"unit": unit}), expected)

    def test_decimals_are_kept(self):
        self.assertEqual(grafana.shown(364.96, {"unit": "suffix:days", "decimals": 1}), "365.0 days")

    def test_a_mapped_value_is_its_text(self):
        field = {"unit": "short", "mappings": [{"type": "value", "options": {"1": {"text": "leads"}}}]}
        self.assertEqual([grafana.shown(value, field) for value in (1.0, 0.0)], ["leads", "0"])

    def test_an_unknown_unit_is_an_error(self):
        with self.assertRaisesRegex(grafana.Unknown, "furlong"):
            grafana.shown(1, {"unit": "furlong"})

    def test_a_legend_has_the_labels(self):
        self.assertEqual(grafana.legend("p99 {{ verb }} {{missing}}", {"verb": "GET"}), "p99 GET ")


class Variables(unittest.TestCase):
    def test_both_spellings_are_replaced_and_a_longer_name_is_another(self):
        variables = {"job": ".*", "__rate_interval": "20s"}
        self.assertEqual(grafana.replaced('rate(a{job=~"$job",b="${job}"}[$__rate_interval])', variables),
                         'rate(a{job=~".*",b=".*"}[20s])')
        with self.assertRaisesRegex(grafana.Unknown, "job_name"):
            grafana.replaced("$job_name", variables)

    def test_all_is_its_own_value_or_every_value(self):
        variable = {"name": "namespace", "current": {"value": ["$__all"]}}
        self.assertEqual(grafana.chosen(variable, lambda: ["a.b", "c"]), r"(a\\.b|c)")
        self.assertEqual(grafana.chosen(variable | {"allValue": ".*"}, lambda: ["c"]), ".*")
        with self.assertRaises(grafana.Unknown):
            grafana.chosen(variable | {"current": {"value": ["c"]}}, lambda: ["c"])


class Colours(unittest.TestCase):
    def test_an_override_changes_the_series_that_it_matches(self):
        red = {"id": "color", "value": {"mode": "fixed", "fixedColor": "red"}}
        for matcher, options in (("byName", "team Failed"), ("byRegexp", "/ Failed$/")):
            with self.subTest(matcher=matcher):
                override = {"matcher": {"id": matcher, "options": options}, "properties": [red]}
                panel = {"fieldConfig": {"defaults": {"color": {"mode": "palette-classic"}}, "overrides": [override]}}
                self.assertEqual(grafana.colour_of(1, grafana.field_of(panel, "team Failed"), 0), "#E02F44")
                self.assertEqual(grafana.colour_of(1, grafana.field_of(panel, "team Running"), 0), "#56A64B")

    def test_a_threshold_counts_from_its_value_on(self):
        steps = [{"color": "red", "value": None}, {"color": "orange", "value": 7}, {"color": "green", "value": 14}]
        field = {"color": {"mode": "thresholds"}, "thresholds": {"steps": steps}}
        self.assertEqual([grafana.colour_of(value, field, 0) for value in (6.9, 7, 20)],
                         ["#E02F44", "#FF780A", "#56A64B"])


class Panels(unittest.TestCase):
    def panel(self, **change):
        return {"type": "stat", "title": "A & B", "gridPos": {"x": 0, "y": 0, "w": 8, "h": 6},
                "options": {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "none", "textMode": "value_and_name"},
                "fieldConfig": {"defaults": {"unit": "s", "color": {"mode": "palette-classic"}}, "overrides": []}} | change

    def test_a_value_and_its_name_are_text(self):
        svg = panels.row("Row", [(self.panel(), [("<name>", {10: float("nan"), 20: 90.0, 30: float("nan")})])], (0, 60))
        for words in ("A &amp; B", "&lt;name&gt;", "1.50 mins"):
            self.assertIn(f">{words}</text>", svg)

    def test_a_panel_without_data_says_so(self):
        self.assertIn(">No data</text>", panels.row("Row", [(self.panel(), [("a", {10: float("nan")})])], (0, 60)))

    def test_an_unknown_type_is_an_error_also_without_data(self):
        with self.assertRaisesRegex(grafana.Unknown, "heatmap"):
            panels.row("Row", [(self.panel(type="heatmap"), [])], (0, 60))


if __name__ == "__main__":
    unittest.main()
