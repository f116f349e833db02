import { createServer } from 'node:http';
import { z } from 'zod';
import { listenLocally } from '#testing/servers/listen-locally.ts';

const attribute = z.object({
  key: z.string(),
  value: z
    .object({ stringValue: z.string(), intValue: z.coerce.number(), doubleValue: z.number(), boolValue: z.boolean() })
    .partial(),
});
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  status: z.object({ code: z.number().optional() }).optional(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(attribute).default([]),
});
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});
const point = z.looseObject({ attributes: z.array(attribute).default([]) });
const figures = z.object({ dataPoints: z.array(point) });
const metricSchema = z.looseObject({ name: z.string(), unit: z.string().optional() }).extend({
  sum: figures.extend({ isMonotonic: z.boolean() }).optional(),
  gauge: figures.optional(),
  histogram: figures.optional(),
});
const metrics = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(metricSchema) })) })),
});

export type CollectedSpan = Omit<z.infer<typeof spanSchema>, 'attributes'> & {
  attributes: Record<string, string | number | boolean>;
};

export type Collector = {
  endpoint: string;
  spans: CollectedSpan[];
  metrics: Map<string, z.infer<typeof metricSchema>>;
  resource: Record<string, string | number | boolean>;
  /** Requests, each with its path and its header x-key. */
  requests: { path: string; key: string | undefined }[];
  /** Returns everything that was sent, as text. */
  text(): string;
  close(): Promise<void>;
};

/** Starts a collector that accepts OTLP over HTTP in JSON, as OpenTelemetry's own does. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      bodies.push(body);
      const path = request.url ?? '';
      collector.requests.push({ path, key: request.headers['x-key']?.toString() });
      take(path, JSON.parse(body), collector);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  const { port, close } = await listenLocally(server);
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${port}`,
    spans: [],
    metrics: new Map(),
    resource: {},
    requests: [],
    text: () => bodies.join('\n'),
    close,
  };
  return collector;
}

function take(path: string, body: unknown, collector: Collector): void {
  if (path.endsWith('/v1/traces')) {
    for (const { resource, scopeSpans } of traces.parse(body).resourceSpans) {
      collector.resource = recordOf(resource.attributes);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      collector.spans.push(...spans.map((span) => ({ ...span, attributes: recordOf(span.attributes) })));
    }
    return;
  }
  for (const { scopeMetrics } of metrics.parse(body).resourceMetrics) {
    for (const metric of scopeMetrics.flatMap((scope) => scope.metrics)) collector.metrics.set(metric.name, metric);
  }
}

export function recordOf(attributes: z.infer<typeof attribute>[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? '',
    ]),
  );
}
