import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { isRecord } from '../apps/broker/src/platform/json.ts';
import { variableNames } from '../apps/broker/src/platform/config/environment.ts';
import { drainMsOf } from '../apps/broker/src/stop-in-order.ts';
import { version } from '../apps/broker/src/version.ts';
import { renderTemplate } from './chart/render-template.ts';

const chart = join(import.meta.dirname, '../deploy/chart');
const read = (file: string) => readFileSync(join(chart, file), 'utf8');
const kinds = { Deployment, HorizontalPodAutoscaler, Ingress, PodDisruptionBudget, Service, ServiceMonitor };

/** Renders the chart with these values instead of its own. */
function render(overrides: Record<string, Record<string, unknown> | number> = {}) {
  const values: Record<string, unknown> = parse(read('values.yaml'));
  for (const [name, value] of Object.entries(overrides)) {
    const before = values[name];
    values[name] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  }
  const { version, appVersion } = parse(read('Chart.yaml'));
  const scope = { Values: values, Release: { Name: 'shop' }, Chart: { Version: version, AppVersion: appVersion } };
  return globSync('templates/*.yaml', { cwd: chart }).flatMap((file) => {
    const manifest = parse(renderTemplate(read(file), scope));
    return manifest === null ? [] : [manifest];
  });
}

const probe = z.object({ httpGet: z.object({ path: z.string() }) });
const podSchema = z.object({
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.record(z.string(), z.unknown()),
  containers: z.tuple([
    z.object({
      securityContext: z.record(z.string(), z.unknown()),
      env: z.array(z.object({ name: z.string() })),
      livenessProbe: probe,
      readinessProbe: probe,
    }),
  ]),
});

function podOf(manifests: ReturnType<typeof render>): z.infer<typeof podSchema> {
  return podSchema.parse(manifests.find(({ kind }) => kind === 'Deployment')?.spec.template.spec);
}

test("the chart's manifests are valid for Kubernetes and the Prometheus operator", () => {
  const all = render({
    autoscaling: { enabled: true },
    metrics: { serviceMonitor: true },
    ingress: { enabled: true },
  });
  expect(all.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(kinds).toSorted());
  expect(
    render()
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
  for (const manifest of [...all, ...render({ replicas: 1 })]) {
    const kind = Object.entries(kinds).find(([name]) => name === manifest.kind)?.[1];
    if (!kind) throw new Error(`no schema for ${manifest.kind}`);
    expect(manifest.apiVersion).toBe(kind.apiVersion);
    expect(() => new kind(manifest).validate()).not.toThrow();
  }
  // a single broker could never be moved
  expect(render({ replicas: 1 }).map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
});

test('the chart starts the image of this version', () => {
  expect(parse(read('Chart.yaml')).appVersion).toBe(version);
});

test('a pod has enough time for a stop, with any grace period and any keep-alive of the proxy', () => {
  for (const [drainGraceMs, proxyKeepAliveMs] of [
    [0, 0],
    [10_000, 5_000],
    [60_000, 60_000],
    [5_000, 600_000],
  ] as const) {
    const { terminationGracePeriodSeconds } = podOf(render({ drainGraceMs, proxyKeepAliveMs }));
    const longestStopMs = drainGraceMs + drainMsOf({ proxyKeepAliveMs }) + 4_000;
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(longestStopMs);
  }
});

test('a pod is not root, writes only to its volumes, and sets only existing variables', () => {
  const { securityContext, containers } = podOf(render());
  const [container] = containers;
  expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  for (const { name } of container.env) expect(variableNames).toContain(name);
  expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  expect(container.readinessProbe.httpGet.path).toBe('/readyz');
});
