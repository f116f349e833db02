import { adminReason } from '@souk/contract/admin/users.ts';
import { z } from 'zod';
import { resultOf, type ManifestRuns } from '#features/catalogue/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { DeployedAll, Reloaded } from './run-results.ts';

const deployAllSchema = z.object({ reason: adminReason });

/**
 * The operator's commands on all manifests, as runs.
 * @param isRunning false if no broker runs: deployed servers are then discovered at the next start
 */
export function runCommands(runs: ManifestRuns, { isRunning }: { isRunning: boolean }): OperatorCommands {
  const run = async (kind: 'reload' | 'deploy-all', reason?: string) =>
    resultOf(await runs.ended(await runs.begin(kind, { via: 'command', reason })));
  return {
    'manifest.reload': async (): Promise<Reloaded> => {
      const { done, errors, runId } = await run('reload');
      return { reloadedCount: done, errors, runId };
    },
    'manifest.deploy-all': async (args): Promise<DeployedAll> => {
      const { reason } = deployAllSchema.parse(args);
      const { done, failed, errors, runId } = await run('deploy-all', reason);
      return { deployed: done, failed, errors, runId, running: isRunning };
    },
  };
}
