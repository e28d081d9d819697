// Grafana's schema of a dashboard: its types for dashboards, for the panels that these dashboards have,
// and for a query of Prometheus, all from its packages. A panel of another type needs its line in Shown.
import type {
  Dashboard as AnyDashboard,
  DataSourceRef,
  FieldConfig,
  FieldConfigSource,
  Panel as AnyPanel,
  RowPanel,
} from "@grafana/schema";
import type { Options as BarGauge } from "@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen";
import type { Options as Stat } from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type {
  FieldConfig as StateTimelineField,
  Options as StateTimeline,
} from "@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen";
import type {
  FieldConfig as TimeSeriesField,
  Options as TimeSeries,
} from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
import type { Dataquery } from "@grafana/grafana-foundation-sdk/prometheus";

// T as JSON has it: the value of an enum in place of its member.
type Written<T> = T extends string
  ? `${T}`
  : T extends Array<infer Item>
    ? Array<Written<Item>>
    : T extends object
      ? { [Key in keyof T]: Written<T[Key]> }
      : T;

type Query = Omit<Dataquery, "_implementsDataqueryVariant"> & { refId: string; datasource: DataSourceRef };

interface Panel<Type extends string, Options, Field = Record<string, never>>
  extends Omit<AnyPanel, "type" | "options" | "fieldConfig" | "targets"> {
  type: Type;
  options: Options;
  fieldConfig: Omit<FieldConfigSource, "defaults"> & { defaults: Omit<FieldConfig, "custom"> & { custom?: Field } };
  targets: Query[];
}

type Row = Omit<RowPanel, "panels"> & { panels: Shown[] };

type Shown =
  | Panel<"bargauge", BarGauge>
  | Panel<"stat", Stat>
  | Panel<"state-timeline", StateTimeline, StateTimelineField>
  | Panel<"timeseries", TimeSeries, TimeSeriesField>;

export type Dashboard = Written<Omit<AnyDashboard, "panels"> & { panels: Array<Row | Shown> }>;
