import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { findOnPath } from '../apps/broker/src/testing/network/find-on-path.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'deploy/alerts.yaml');
const promtool = findOnPath('promtool');
if (promtool === undefined) process.stdout.write('[deploy] SKIPPED: promtool is not installed\n');

const ruleSchema = z.object({
  alert: z.string(),
  labels: z.object({ severity: z.enum(['warning', 'critical']) }),
  annotations: z.object({ summary: z.string(), runbook: z.string() }),
});
const alertsSchema = z.object({ groups: z.array(z.object({ rules: z.array(ruleSchema) })) });

test('each alert names an existing page of the runbook, which names the alert', () => {
  const rules = alertsSchema.parse(parse(readFileSync(file, 'utf8'))).groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, annotations } of rules) {
    const page = join(root, annotations.runbook);
    expect(existsSync(page), `${annotations.runbook} of ${alert}`).toBe(true);
    expect(readFileSync(page, 'utf8')).toContain(`\`${alert}\``);
  }
});

test.skipIf(promtool === undefined)('Prometheus accepts the alerts', async () => {
  const { stdout } = await promisify(execFile)(promtool ?? '', ['check', 'rules', file]);
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
});
