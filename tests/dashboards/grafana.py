"""How Grafana 13 turns a dashboard and what Prometheus answers into text, intervals and colours.

What is not known here (a unit, a matcher, a colour mode) is an Unknown: the pictures would show
something else than Grafana.
"""
import bisect
import math
import re


class Unknown(Exception):
    """A feature of Grafana that the dashboards use and these scripts do not know."""


# --- the interval of a query ----------------------------------------------------------------------

# An interval below a limit becomes the interval before it; both in milliseconds.
_ROUNDED = [1, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 20_000, 30_000, 60_000,
            120_000, 300_000, 600_000, 900_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000,
            21_600_000, 43_200_000, 86_400_000, 604_800_000, 2_592_000_000, 31_536_000_000]
_LIMITS = [10, 15, 35, 75, 150, 350, 750, 1500, 3500, 7500, 12_500, 17_500, 25_000, 45_000, 90_000,
           210_000, 450_000, 750_000, 1_050_000, 1_500_000, 2_700_000, 5_400_000, 9_000_000, 16_200_000,
           32_400_000, 86_400_000, 604_800_000, 1_814_400_000, 3_628_800_000]


def interval(span, points, scrape):
    """Seconds between the points of a panel that is `points` pixels wide and shows `span` seconds.
    `scrape` is the scrape interval in the settings of the data source."""
    return max(_ROUNDED[bisect.bisect_right(_LIMITS, span * 1000 / points)] / 1000, scrape)


def rate_interval(step, scrape):
    """$__rate_interval in seconds: at least four scrapes, and more than one step."""
    return max(step + scrape, 4 * scrape)


def duration(seconds):
    """As Prometheus reads it."""
    return f"{seconds:g}s" if seconds >= 1 else f"{seconds * 1000:g}ms"


# --- variables and legends ------------------------------------------------------------------------

def chosen(variable, values):
    """What stands for $VARIABLE in a query while All is chosen. `values()` asks for its values."""
    if variable.get("current", {}).get("value") != ["$__all"]:
        raise Unknown(f"the choice {variable.get('current')} of variable {variable['name']}")
    if variable.get("allValue"):
        return variable["allValue"]
    return "(" + "|".join(re.sub(r"([\\.^$*+?()[\]{}|])", r"\\\\\1", value) for value in values()) + ")"


def replaced(text, variables):
    """`text` with $NAME and ${NAME} replaced."""
    def one(match):
        name = match[1] or match[2]
        if name not in variables:
            raise Unknown(f"the variable ${name}")
        return variables[name]
    return re.sub(r"\$(?:(\w+)|\{(\w+)\})", one, text)


def legend(form, labels):
    """The name of a series: {{label}} is its value, or nothing."""
    return re.sub(r"\{\{\s*(.+?)\s*\}\}", lambda match: labels.get(match[1], ""), form)


# --- values ---------------------------------------------------------------------------------------

def _decimals(value):
    if value == 0 or value % 1 == 0:
        return 0
    digits = 1 - math.floor(math.log10(abs(value)))
    return max(0, digits + (abs(value) * 10**digits > 2.25))


def fixed(value, decimals=None):
    decimals = _decimals(value) if decimals is None else decimals
    rounded = math.floor(value * 10**decimals + 0.5) / 10**decimals
    return f"{rounded:.{decimals}f}"


def _scaled(value, decimals, factor, suffixes):
    power = 0 if value == 0 else math.floor(math.log(abs(value)) / math.log(factor) + 1e-12)
    power = min(max(power, 0), len(suffixes) - 1)
    return fixed(value / factor**power, decimals) + suffixes[power]


def _seconds(value, decimals):
    if value == 0:
        return "0 s"
    for below, factor, name in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (60, 1, "s")):
        if abs(value) < below:
            return f"{fixed(value * factor, decimals)} {name}"
    for below, size, name in ((3600, 60, "min"), (86_400, 3600, "hour"), (604_800, 86_400, "day"),
                              (31_536_000, 604_800, "week"), (math.inf, 31_556_900, "year")):
        if abs(value) < below:
            return f"{fixed(value / size, decimals)} {name}{'s' if abs(value) / size > 1 else ''}"
    return str(value)


_UNITS = {
    "short": lambda value, decimals: _scaled(value, decimals, 1000, ["", " K", " Mil", " Bil", " Tri"]),
    "percentunit": lambda value, decimals: fixed(100 * value, decimals) + "%",
    "bytes": lambda value, decimals: _scaled(value, decimals, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]),
    "s": _seconds,
    "ops": lambda value, decimals: _scaled(value, decimals, 1000, ["", "K", "M", "B", "T"]) + " ops/s",
    "reqps": lambda value, decimals: _scaled(value, decimals, 1000, ["", "K", "M", "B", "T"]) + " req/s",
}


def shown(value, field):
    """A value in the unit of a field's configuration, or the text that it is mapped to."""
    for mapping in field.get("mappings", []):
        if mapping["type"] != "value":
            raise Unknown(f"the mapping {mapping['type']}")
        if fixed(value) in mapping["options"]:
            return mapping["options"][fixed(value)]["text"]
    unit, decimals = field["unit"], field.get("decimals")
    if unit.startswith("suffix:"):
        return f"{fixed(value, decimals)} {unit.removeprefix('suffix:')}"
    if unit not in _UNITS:
        raise Unknown(f"the unit {unit}")
    return _UNITS[unit](value, decimals)


# --- colours --------------------------------------------------------------------------------------

# The light theme: super-light, light, none, semi-dark, dark.
_HUES = {"red": ("#FF7383", "#F2495C", "#E02F44", "#C4162A", "#AD0317"),
         "orange": ("#FFB357", "#FF9830", "#FF780A", "#FA6400", "#E55400"),
         "yellow": ("#FFEE52", "#FADE2A", "#F2CC0C", "#E0B400", "#CC9D00"),
         "green": ("#96D98D", "#73BF69", "#56A64B", "#37872D", "#19730E"),
         "blue": ("#8AB8FF", "#5794F2", "#3274D9", "#1F60C4", "#1250B0"),
         "purple": ("#CA95E5", "#B877D9", "#A352CC", "#8F3BB8", "#7C2EA3")}
_NAMED = {prefix + hue: shade for hue, shades in _HUES.items()
          for prefix, shade in zip(("super-light-", "light-", "", "semi-dark-", "dark-"), shades)}
_PALETTE = ["green", "semi-dark-yellow", "blue", "orange", "red", "purple",
            "dark-green", "dark-yellow", "dark-blue", "dark-orange", "dark-red", "dark-purple",
            "super-light-green", "super-light-yellow", "super-light-blue", "super-light-orange",
            "super-light-red", "super-light-purple"]


def colour(name):
    """`name` is one of Grafana's, or #rrggbb."""
    if name not in _NAMED and not name.startswith("#"):
        raise Unknown(f"the colour {name}")
    return _NAMED.get(name, name)


def colour_of(value, field, index):
    """Of the series with that index in its panel."""
    mode = field["color"]["mode"]
    for mapping in field.get("mappings", []):
        if fixed(value) in mapping["options"]:
            return colour(mapping["options"][fixed(value)]["color"])
    if mode == "fixed":
        return colour(field["color"]["fixedColor"])
    if mode == "palette-classic":
        return colour(_PALETTE[index % len(_PALETTE)])
    if mode == "thresholds":
        steps = field["thresholds"]["steps"]
        return colour([step for step in steps if step["value"] is None or value >= step["value"]][-1]["color"])
    raise Unknown(f"the colour mode {mode}")


def _matches(matcher, name):
    if matcher["id"] == "byName":
        return matcher["options"] == name
    if matcher["id"] == "byRegexp":
        return re.search(re.fullmatch("/(.*)/", matcher["options"])[1], name) is not None
    raise Unknown(f"the matcher {matcher['id']}")


def field_of(panel, name):
    """The configuration of the series `name`: the defaults of the panel with its overrides."""
    field = dict(panel["fieldConfig"]["defaults"])
    for override in panel["fieldConfig"]["overrides"]:
        if _matches(override["matcher"], name):
            for item in override["properties"]:
                if item["id"] not in ("color", "unit", "decimals"):
                    raise Unknown(f"the override of {item['id']}")
                field[item["id"]] = item["value"]
    return field


# --- rows -----------------------------------------------------------------------------------------

def rows(dashboard):
    """(title, panels) of each row, those of collapsed rows too."""
    out = []
    for panel in dashboard["panels"]:
        if "repeat" in panel or "transformations" in panel:
            raise Unknown(f"repeat or transformations in the panel {panel['title']}")
        if panel["type"] == "row":
            out.append((panel["title"], list(panel["panels"])))
        elif out:
            out[-1][1].append(panel)
        else:
            raise Unknown(f"the panel {panel['title']} above the first row")
    return out
