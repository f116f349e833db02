import { longestSystemChecksMs } from '@souk/contract/admin/system.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { Config } from '#platform/config.ts';
import { messageOf } from '#platform/thrown.ts';
import { checkNotices, configChecks, configWarnings } from './config-checks.ts';

/**
 * Runs `check-config` and `doctor` for the running broker, each with a time limit. Faults are returned and not thrown.
 */
export async function checkSystem(config: Config, environment: NodeJS.ProcessEnv): Promise<ConnectionCheck[]> {
  const parts: readonly [id: string, name: string, run: () => Promise<ConnectionCheck[]>][] = [
    ['configuration', 'The configuration is valid', () => checkConfiguration(config)],
    ['connections', 'Clients can connect', () => checkConnections(environment)],
  ];
  const found = await Promise.all(
    parts.map(async ([id, name, run]) => {
      const { promise: late, resolve } = Promise.withResolvers<ConnectionCheck[]>();
      const detail = `It took longer than ${longestSystemChecksMs / 1000} s.`;
      const timer = setTimeout(
        () => resolve([{ id, name, status: 'skipped', detail, advice: null }]),
        longestSystemChecksMs,
      );
      const failed = (error: unknown): ConnectionCheck[] => [
        { id, name, status: 'failed', detail: messageOf(error), advice: null },
      ];
      return Promise.race([run().catch(failed), late]).finally(() => clearTimeout(timer));
    }),
  );
  return found.flat();
}

async function checkConfiguration(config: Config): Promise<ConnectionCheck[]> {
  const warnings = [...configWarnings(config)];
  const { checkDeployed } = await import('./deployed-checks.ts');
  const checks = [...configChecks(), checkNotices, checkDeployed];
  const options = { manifestsDir: undefined, warn: (line: string) => void warnings.push(line) };
  const problems = (await Promise.all(checks.map((check) => check(config, options)))).flat();
  const found = (status: ConnectionCheck['status']) => (detail: string) => ({
    id: 'configuration',
    name: 'The configuration is valid',
    status,
    detail,
    advice: null,
  });
  const valid = 'Variables, offers, manifests and deployed servers are consistent.';
  return [
    ...(problems.length > 0 ? problems.map(found('failed')) : [found('passed')(valid)]),
    ...warnings.map(found('warned')),
  ];
}

async function checkConnections(environment: NodeJS.ProcessEnv): Promise<ConnectionCheck[]> {
  const { examine } = await import('./doctor.ts');
  return (await examine(undefined, environment))?.diagnosis.checks ?? [];
}
