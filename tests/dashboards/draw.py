#!/usr/bin/env -S python3 -B
"""Draws each row of a dashboard as FOLDER/dashboard-NAME-ROW.svg, as Grafana shows it with the data of a
Prometheus: with the queries, units, legends and colours of its JSON, and with All for each variable.

Fails if a query has no data, or if the dashboard uses what these scripts do not know of Grafana.
"""
import argparse
import json
import pathlib
import re
import sys
import urllib.parse
import urllib.request

import grafana
import panels


class Prometheus:
    def __init__(self, address):
        self._address = address

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self._address}/api/v1/{path}?{query}", timeout=30) as answer:
            return json.load(answer)["data"]


def variables_of(dashboard, prometheus, span):
    """The variables of a dashboard, and those that do not depend on a panel."""
    out = {"__range": grafana.duration(span[1] - span[0])}
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "datasource":
            continue
        query = grafana.replaced(variable["query"]["query"], out)
        selector, label = re.fullmatch(r"label_values\((.*), *(\w+)\)", query).groups()
        out[variable["name"]] = grafana.chosen(variable, lambda: prometheus.get(
            f"label/{label}/values", **{"match[]": selector, "start": span[0], "end": span[1]}))
    return out


def series_of(target, prometheus, variables, span, points, scrape):
    step = grafana.interval(span[1] - span[0], points, scrape)
    rate = {"__rate_interval": grafana.duration(grafana.rate_interval(step, scrape))}
    query = grafana.replaced(target["expr"], variables | rate)
    if target["instant"]:
        found = prometheus.get("query", query=query, time=span[1])["result"]
    else:
        begin, end = (at // step * step for at in span)
        found = prometheus.get("query_range", query=query, start=begin, end=end, step=step)["result"]
    return [(grafana.legend(target["legendFormat"], series["metric"]),
             {when: float(value) for when, value in series.get("values", [series.get("value")])}) for series in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dashboard", type=pathlib.Path, help="its JSON; the name of the file is NAME")
    parser.add_argument("prometheus", help="http://HOST:PORT")
    parser.add_argument("begin", type=float, help="of the range, in seconds since 1970")
    parser.add_argument("end", type=float)
    parser.add_argument("scrape", type=float, help="the scrape interval in the settings of the data source, in seconds")
    parser.add_argument("folder", type=pathlib.Path)
    asked = parser.parse_args()

    dashboard = json.loads(asked.dashboard.read_text())
    prometheus, span = Prometheus(asked.prometheus), (asked.begin, asked.end)
    variables, empty = variables_of(dashboard, prometheus, span), []
    for title, row in grafana.rows(dashboard):
        drawn = []
        for panel in row:
            width, series = panel["gridPos"]["w"] * panels.COLUMN, []
            for target in panel["targets"]:
                found = series_of(target, prometheus, variables, span, width, asked.scrape)
                if not panels.has_data(found):
                    empty.append(f"no data: {title} | {panel['title']} | {target['legendFormat']}")
                series += found
            drawn.append((panel, series))
        name = f"dashboard-{asked.dashboard.stem}-{re.sub('[^a-z0-9]+', '-', title.lower())}.svg"
        (asked.folder / name).write_text(panels.row(f"{dashboard['title']}: {title}", drawn, span))
    print("\n".join(empty), file=sys.stderr)
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
