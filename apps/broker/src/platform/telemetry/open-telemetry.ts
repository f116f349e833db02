import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Log } from '../log.ts';
import type { Tracing } from './tracing.ts';

export type TelemetryConfig = {
  /** The base address of the collector, without /v1/traces and /v1/metrics. */
  endpoint: string;
  /** Headers of each request, such as a key. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share of calls to trace if their clients have not decided: 0 to 1. */
  tracedShare: number;
};

export type Telemetry = {
  tracing: Tracing;
  /** Sends these figures every minute. */
  sendMetrics(read: () => Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>): void;
  /** Sends waiting data, for at most 5 s. */
  stop(): Promise<void>;
};

const stopMs = 5000;

/**
 * Sends traces of calls and the figures of /metrics to an OpenTelemetry collector (OTLP over HTTP). If it is unreachable, at
 * most 2,048 spans wait, and the others are dropped. The libraries are only loaded here, because they cost memory.
 */
export async function openTelemetry(
  { endpoint, headers, serviceName, tracedShare }: TelemetryConfig,
  { version, instanceId, log }: { version: string; instanceId: string; log: Log },
): Promise<Telemetry> {
  const [api, { resourceFromAttributes }, sdk, { OTLPTraceExporter }, { traceCalls }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('./trace-calls.ts'),
  ]);
  const say = (message: string) => log.warn({ reason: message }, 'telemetry cannot be sent');
  const quiet = () => {};
  api.diag.setLogger(
    { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': instanceId,
  });
  const base = endpoint.replace(/\/$/, '');
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(tracedShare) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${base}/v1/traces`, headers }) }),
    ],
  });
  let stopMetrics: (() => Promise<void>) | undefined;
  return {
    tracing: traceCalls(provider.getTracer('souk', version)),
    sendMetrics(read) {
      const opening = import('./send-metrics.ts').then(({ sendMetrics }) =>
        sendMetrics({ url: `${base}/v1/metrics`, headers, resource, read }),
      );
      opening.catch((error: unknown) => log.error({ err: error }, 'figures cannot be sent'));
      stopMetrics = async () => (await opening).shutdown();
    },
    async stop() {
      const stopping = Promise.allSettled([provider.shutdown(), stopMetrics?.()]);
      const late = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      await Promise.race([stopping, late]);
    },
  };
}
