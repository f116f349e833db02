import { longestSystemChecksMs } from '@souk/contract/admin/system.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { Config } from '#platform/config.ts';
import { checkNotices, configChecks, configWarnings } from './config-checks.ts';

/**
 * What `check-config` and `doctor` find, for the running broker of this configuration: each part in its time, and nothing is
 * thrown for what they find.
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
      const failed = (error: unknown): ConnectionCheck[] => {
        const reason = error instanceof Error ? error.message : String(error);
        return [{ id, name, status: 'failed', detail: reason, advice: null }];
      };
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
  const name = 'The configuration is valid';
  const told = (status: 'failed' | 'warned') => (detail: string) => ({
    id: 'configuration',
    name,
    status,
    detail,
    advice: null,
  });
  const found = [...problems.map(told('failed')), ...warnings.map(told('warned'))];
  if (problems.length > 0) return found;
  const detail = 'Variables, offers, manifests and what is deployed fit together.';
  return [{ id: 'configuration', name, status: 'passed', detail, advice: null }, ...found];
}

async function checkConnections(environment: NodeJS.ProcessEnv): Promise<ConnectionCheck[]> {
  const { examine } = await import('./doctor.ts');
  return (await examine(undefined, environment))?.diagnosis.checks ?? [];
}
