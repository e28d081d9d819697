.timezones = "utc"
.schemaVersion = "39"
.panels[1].type = "stats"
.panels[1].units = "s"
.panels[1].gridPos.width = 12
.panels[1].options.colorMode = "values"
.panels[1].options.graphmode = "none"
del(.panels[1].options.reduceOptions.calcs)
.panels[1].fieldConfig.defaults.decimals = "1"
.panels[1].targets[0].legend = "{{phase}}"
.panels[1].targets[0].expr = 1
(.panels[] | select(.type == "timeseries").fieldConfig.defaults.custom.drawStyle) = "lines"
(.panels[] | select(.type == "timeseries").options.legend.displayMode) = "columns"
.templating.list[1].refresh = 3
.templating.list[1].multiple = true
.links[0].title = null
