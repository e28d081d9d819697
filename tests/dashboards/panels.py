"""The panels of a dashboard as SVG, in Grafana's light theme.

A series is (name, {time: value}) with times in seconds; of an instant query it has one time.
"""
import html
import math
import time

import grafana

COLUMN, UNIT, GAP = 1000 / 24, 38, 8  # of Grafana's grid: 24 columns, rows of 30 and a gap of 8
_TEXT, _FAINT, _LINE = "#24292e", "#6e7680", "#e4e7e9"
_LEGEND_SHARE = 0.35  # of the panel's height, at most, as in Grafana


def text(x, y, words, size=11, anchor="start", fill=_TEXT, more=""):
    return (f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size:.4g}' text-anchor='{anchor}' fill='{fill}'{more}>"
            f"{html.escape(words)}</text>\n")


def _rectangle(x, y, width, height, fill, more=""):
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0):.1f}' height='{height:.1f}' fill='{fill}'{more}/>\n"


def _width(words, size=11):
    return 0.6 * size * len(words)


def _cut(words, width, size=11):
    room = int(width / (0.6 * size))
    return words if len(words) <= room else words[:max(room - 1, 1)] + "…"


def _values(points):
    return [value for value in points.values() if not math.isnan(value)]


def has_data(series):
    return any(_values(points) for _, points in series)


_CALCULATED = {"lastNotNull": ("Last *", lambda values: values[-1]), "max": ("Max", max)}


def _calculated(name):
    if name not in _CALCULATED:
        raise grafana.Unknown(f"the calculation {name}")
    return _CALCULATED[name]


def _reduced(panel, series):
    """(name, value, colour, text) of each series of a panel that shows one value of each."""
    (calculation,) = panel["options"]["reduceOptions"]["calcs"]
    out = []
    for index, (name, points) in enumerate(series):
        field, values = grafana.field_of(panel, name), _values(points)
        if values:
            value = _calculated(calculation)[1](values)
            out.append((name, value, grafana.colour_of(value, field, index), grafana.shown(value, field)))
    return out


# --- stat and bargauge ----------------------------------------------------------------------------

def _stat(panel, series, box, _span):
    x, y, width, height = box
    cells = _reduced(panel, series)
    columns = min(range(1, len(cells) + 1), key=lambda count: abs(
        math.log(width / count / (height / math.ceil(len(cells) / count)) / 1.6)))
    across, down = width / columns, height / math.ceil(len(cells) / columns)
    largest = max(len(shown) for _, _, _, shown in cells)
    size = min(0.42 * down, (across - 12) / (0.6 * largest), 46)
    out = ""
    for at, (name, _, colour, shown) in enumerate(cells):
        middle, top = x + (at % columns + 0.5) * across, y + at // columns * down
        fill = {"value": colour, "none": _TEXT}[panel["options"]["colorMode"]]
        if panel["options"]["textMode"] == "value_and_name":
            out += text(middle, top + 0.3 * down, _cut(name, across - 4, 12), 12, "middle")
            top += 0.14 * down
        out += text(middle, top + down / 2 + 0.36 * size, shown, size, "middle", fill, " font-weight='500'")
    return out


def _bargauge(panel, series, box, _span):
    if panel["options"]["orientation"] != "horizontal":
        raise grafana.Unknown(f"the orientation {panel['options']['orientation']}")
    x, y, width, height = box
    bars = _reduced(panel, series)
    names = min(max(_width(name) for name, *_ in bars) + 8, 0.5 * width)
    values = max(_width(shown, 13) for *_, shown in bars) + 8
    top, down = max(value for _, value, *_ in bars) or 1, min(height / len(bars), 34)
    out = ""
    for at, (name, value, colour, shown) in enumerate(bars):
        middle, long = y + (at + 0.5) * down, width - names - values
        out += text(x + names - 6, middle + 4, _cut(name, names - 6), anchor="end")
        if panel["options"]["showUnfilled"]:
            out += _rectangle(x + names, middle - 0.4 * down, long, 0.8 * down, "#f4f5f5")
        out += _rectangle(x + names, middle - 0.4 * down, long * value / top, 0.8 * down, colour, " fill-opacity='0.75'")
        out += text(x + width, middle + 4.5, shown, 13, "end", colour)
    return out


# --- what has a time axis -------------------------------------------------------------------------

def _time_axis(x, width, top, bottom, span):
    begin, end = span
    every = next((step for step in (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400)
                  if step / (end - begin) * width >= 46), 604_800)
    out, at = "", math.ceil(begin / every) * every
    while at <= end:
        where = x + (at - begin) / (end - begin) * width
        form = "%H:%M:%S" if every < 60 else "%H:%M" if every < 86_400 else "%m/%d"
        out += f"<path d='M{where:.1f} {top:.1f}V{bottom:.1f}' stroke='{_LINE}'/>\n"
        if x + 12 < where < x + width - 12:
            out += text(where, bottom + 14, time.strftime(form, time.gmtime(at)), 10, "middle", _FAINT)
        at += every
    return out


def _state_timeline(panel, series, box, span):
    x, y, width, height = box
    names = min(max(_width(name) for name, _ in series) + 8, 0.45 * width)
    left, long, bottom = x + names, width - names, y + height - 18
    down = (bottom - y) / len(series)
    out = _time_axis(left, long, y, bottom, span)
    for at, (name, points) in enumerate(series):
        field, top, times = grafana.field_of(panel, name), y + at * down, sorted(points)
        out += text(left - 6, top + down / 2 + 4, _cut(name, names - 6), anchor="end")
        step = min((b - a for a, b in zip(times, times[1:])), default=span[1] - span[0])
        states = []  # [from, to, value]
        for when in times:
            if states and states[-1][2] == points[when] and when - states[-1][1] < step / 2:
                states[-1][1] = when + step
            else:
                states.append([when, when + step, points[when]])
        for begin, end, value in states:
            from_x, to_x = (left + (min(when, span[1]) - span[0]) / (span[1] - span[0]) * long for when in (begin, end))
            colour, shown = grafana.colour_of(value, field, at), grafana.shown(value, field)
            high = panel["options"]["rowHeight"] * down
            out += _rectangle(from_x, top + (down - high) / 2, to_x - from_x, high, colour,
                              f" fill-opacity='{field['custom']['fillOpacity'] / 100:g}'")
            if to_x - from_x > _width(shown) + 4:
                out += text((from_x + to_x) / 2, top + down / 2 + 4, shown, anchor="middle")
    return out


def _ticks(low, high, height, unit):
    """Round values from low to at least high, no closer than 28 pixels."""
    most = max(int(height / 28), 1)
    base = 1024 ** int(math.log(max(high, 1), 1024)) if unit == "bytes" else 1
    rough = (high - low) / most / base
    power = 10 ** math.floor(math.log10(rough))
    steps = [2**at for at in range(-4, 11)] if unit == "bytes" else [power * factor for factor in (1, 2, 2.5, 5, 10)]
    step = next(step for step in steps if step >= rough * 0.999) * base
    if unit == "short":
        step = max(step, 1) if high >= 1 else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(at * step, 12) for at in range(first, last + 1)]


def _legend(panel, series, box):
    """The SVG of the legend at the bottom of `box`, and its height."""
    options = panel["options"]["legend"]
    if not options["showLegend"]:
        return "", 0
    if (options["displayMode"], options["placement"]) != ("table", "bottom"):
        raise grafana.Unknown(f"the legend {options['displayMode']} at the {options['placement']}")
    x, y, width, height = box
    lines = []  # (numbers, cells, name, colour)
    for at, (name, points) in enumerate(series):
        field, values = grafana.field_of(panel, name), _values(points)
        numbers = {_calculated(calc)[0]: _calculated(calc)[1](values) for calc in options["calcs"]} if values else {}
        lines.append((numbers, {title: grafana.shown(number, field) for title, number in numbers.items()}, name,
                      grafana.colour_of(values[-1] if values else 0, field, at)))
    if "sortBy" in options:
        lines.sort(key=lambda line: line[0].get(options["sortBy"], -math.inf), reverse=options["sortDesc"])
    rows = min(len(lines), max(int(_LEGEND_SHARE * (height + 30) / 16) - 1, 1))
    top, right, out = y + height - 16 * rows, x + width, ""
    for title in reversed([_calculated(calculation)[0] for calculation in options["calcs"]]):
        out += text(right, top - 4, title, 10, "end", _FAINT)
        for row, (_, cells, *_) in enumerate(lines[:rows]):
            out += text(right, top + 16 * row + 10, cells.get(title, ""), anchor="end")
        right -= max(_width(words) for words in (title, *(cells.get(title, "") for _, cells, *_ in lines))) + 12
    hidden = len(lines) - rows
    out += text(x, top - 4, f"Name ({hidden} more)" if hidden else "Name", 10, fill=_FAINT)
    for row, (_, _, name, colour) in enumerate(lines[:rows]):
        out += _rectangle(x, top + 16 * row + 4, 12, 4, colour)
        out += text(x + 17, top + 16 * row + 10, _cut(name, right - x - 17))
    return out, 16 * rows + 20


def _segments(points, step):
    """Lists of (time, value) without a gap."""
    out = []
    for when in sorted(points):
        if math.isnan(points[when]):
            continue
        if out and when - out[-1][-1][0] < 1.5 * step:
            out[-1].append((when, points[when]))
        else:
            out.append([(when, points[when])])
    return out


def _path(points):
    """The path through points, without those that lie between two of the same height."""
    kept = [point for at, point in enumerate(points)
            if not 0 < at < len(points) - 1 or not points[at - 1][1] == point[1] == points[at + 1][1]]
    return "L".join(f"{x:.1f} {y:.1f}".replace(".0", "") for x, y in kept)


def _stacked(custom, series):
    """For each series: {time: (from, to)}, where from is 0 unless it is stacked on others."""
    mode = custom.get("stacking", {}).get("mode", "none")
    if mode not in ("none", "normal"):
        raise grafana.Unknown(f"stacking {mode}")
    below, out = {}, []
    for _, points in series:
        out.append({when: (below.get(when, 0), below.get(when, 0) + value) for when, value in points.items()})
        if mode == "normal":
            below.update({when: to for when, (_, to) in out[-1].items() if not math.isnan(to)})
    return out


def _lines(band, step, place, colour, custom):
    out = ""
    for segment in _segments({when: to for when, (_, to) in band.items()}, step):
        line = [place(when, to) for when, to in segment]
        if len(line) == 1:
            out += f"<circle cx='{line[0][0]:.1f}' cy='{line[0][1]:.1f}' r='2' fill='{colour}'/>\n"
            continue
        path, back = _path(line), _path([place(when, band[when][0]) for when, _ in reversed(segment)])
        out += (f"<path d='M{path}L{back}Z' fill='{colour}' fill-opacity='{custom['fillOpacity'] / 100:g}'/>\n"
                f"<path d='M{path}' fill='none' stroke='{colour}' stroke-width='{custom['lineWidth'] * 1.2:g}'/>\n")
    return out


def _bars(band, step, place, colour, custom):
    path = ""
    for when, (below, to) in sorted(band.items()):
        if to > below:
            (x, y), (_, bottom) = place(when, to), place(when, below)
            width = (place(when + step, to)[0] - x) * custom["barWidthFactor"]
            path += f"M{x - width / 2:.1f} {y:.1f}h{width:.1f}v{bottom - y:.1f}h{-width:.1f}z".replace(".0", "")
    return f"<path d='{path}' fill='{colour}' fill-opacity='{custom['fillOpacity'] / 100:g}'/>\n"


_STYLES = {"line": _lines, "bars": _bars}


def _time_series(panel, series, box, span):
    defaults = panel["fieldConfig"]["defaults"]
    legend, legend_height = _legend(panel, series, box)
    x, y, width, height = box
    height -= legend_height + 22
    bands = _stacked(defaults["custom"], series)
    values = [to for band in bands for _, to in band.values() if not math.isnan(to)]
    low, high = defaults.get("min", min(values)), defaults.get("max", max(values))
    ticks = _ticks(low, high if high > low else low + 1, height, defaults["unit"])
    labels = [grafana.shown(tick, defaults) for tick in ticks]
    left = x + max(_width(label, 10) for label in labels) + 6
    long = x + width - left
    step = min((b - a for _, points in series for a, b in zip(sorted(points), sorted(points)[1:])),
               default=span[1] - span[0])

    def place(when, value):
        return (left + (when - span[0]) / (span[1] - span[0]) * long,
                y + height * (1 - (value - ticks[0]) / (ticks[-1] - ticks[0])))

    out = _time_axis(left, long, y, y + height, span)
    for tick, label in zip(ticks, labels):
        out += f"<path d='M{left:.1f} {place(0, tick)[1]:.1f}H{left + long:.1f}' stroke='{_LINE}'/>\n"
        out += text(left - 5, place(0, tick)[1] + 3.5, label, 10, "end", _FAINT)
    custom = defaults["custom"]
    if custom["drawStyle"] not in _STYLES:
        raise grafana.Unknown(f"the style {custom['drawStyle']}")
    for at, ((name, points), band) in enumerate(zip(series, bands)):
        colour = grafana.colour_of((_values(points) or [0])[-1], grafana.field_of(panel, name), at)
        out += _STYLES[custom["drawStyle"]](band, step, place, colour, custom)
    return out + legend


_KINDS = {"stat": _stat, "bargauge": _bargauge, "state-timeline": _state_timeline, "timeseries": _time_series}


def row(title, panels, span):
    """The SVG of a row: `panels` are pairs of a panel and its series, `span` is from when to when."""
    first = min(panel["gridPos"]["y"] for panel, _ in panels)
    high = (max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel, _ in panels) - first) * UNIT - GAP
    wide = 24 * COLUMN
    out = (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide + 2 * GAP:.0f} {high + 2 * GAP:.0f}' "
           f"font-family='sans-serif'>\n<title>{html.escape(title)}</title>\n")
    out += _rectangle(0, 0, wide + 2 * GAP, high + 2 * GAP, "#f4f5f5")
    for panel, series in panels:
        if panel["type"] not in _KINDS:
            raise grafana.Unknown(f"the panel type {panel['type']}")
        at = panel["gridPos"]
        x, y = GAP + at["x"] * COLUMN, GAP + (at["y"] - first) * UNIT
        width, height = at["w"] * COLUMN - GAP, at["h"] * UNIT - GAP
        out += _rectangle(x, y, width, height, "#fff", f" stroke='{_LINE}'")
        out += text(x + 8, y + 19, panel["title"], 13, more=" font-weight='500'")
        box = x + 8, y + 32, width - 16, height - 40
        if has_data(series):
            out += _KINDS[panel["type"]](panel, series, box, span)
        else:
            out += text(x + width / 2, y + height / 2, "No data", 14, "middle", _FAINT)
    return out + "</svg>\n"
