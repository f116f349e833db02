import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export type PrometheusMetric = MetricObjectWithValues<MetricValue<string>>;

const everyMs = 60_000;

/** Sends the figures of /metrics every minute, and at the shutdown. */
export function sendMetrics({
  url,
  headers,
  resource,
  read,
}: {
  url: string;
  headers: Readonly<Record<string, string>>;
  resource: Resource;
  read(): Promise<readonly PrometheusMetric[]>;
}): { shutdown(): Promise<void> } {
  const startTime = hrTimeOf(Date.now());
  const producer = {
    async collect(): Promise<CollectionResult> {
      const times = { startTime, endTime: hrTimeOf(Date.now()) };
      const metrics = (await read()).flatMap((metric) => toOtlp(metric, times) ?? []);
      const scopeMetrics = [{ scope: { name: 'souk' }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url, headers: { ...headers } }),
    exportIntervalMillis: everyMs,
    metricProducers: [producer],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

type Times = { startTime: HrTime; endTime: HrTime };

/** Converts a Prometheus figure to OpenTelemetry, under the same name; undefined for a kind that we do not use. */
export function toOtlp({ name, help, type, values }: PrometheusMetric, times: Times): MetricData | undefined {
  const metric = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // as text, because prom-client's types declare the same enum once as text and once as numbers
  switch (String(type)) {
    case 'counter':
      return { ...metric, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points(values, times) };
    case 'gauge':
      return { ...metric, dataPointType: DataPointType.GAUGE, dataPoints: points(values, times) };
    case 'histogram':
      return { ...metric, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(name, values, times) };
    default:
      return undefined;
  }
}

function points(values: PrometheusMetric['values'], times: Times): DataPoint<number>[] {
  return values.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
}

/** Converts cumulative buckets of Prometheus to OpenTelemetry's, which count each bucket separately. */
function histograms(name: string, values: PrometheusMetric['values'], times: Times): DataPoint<Histogram>[] {
  const byLabels = new Map<string, { attributes: Attributes; below: [number, number][]; sum: number; count: number }>();
  for (const value of values) {
    const { le, ...labels } = value.labels as Record<string, string | number>;
    const attributes = attributesOf(labels);
    const key = JSON.stringify(attributes);
    const known = byLabels.get(key) ?? { attributes, below: [], sum: 0, count: 0 };
    byLabels.set(key, known);
    const metricName = 'metricName' in value ? value.metricName : undefined;
    if (metricName === `${name}_sum`) known.sum = value.value;
    else if (metricName === `${name}_count`) known.count = value.value;
    else if (le !== undefined && le !== '+Inf') known.below.push([Number(le), value.value]);
  }
  return [...byLabels.values()].map(({ attributes, below, sum, count }) => {
    const sorted = below.toSorted(([a], [b]) => a - b);
    const counts = sorted.map(([, upTo], index) => upTo - (sorted[index - 1]?.[1] ?? 0));
    const buckets = {
      boundaries: sorted.map(([boundary]) => boundary),
      counts: [...counts, count - (sorted.at(-1)?.[1] ?? 0)],
    };
    return { ...times, attributes, value: { buckets, sum, count } };
  });
}

function attributesOf(labels: Partial<Record<string, string | number>>): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]));
}

function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  return /_bytes(?:_total)?$/.test(name) ? 'By' : '1';
}

function hrTimeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];
}
