import { z } from 'zod';

// the answers of the operator's commands on all manifests, over the socket and with `--json`

const errors = z.array(z.object({ id: z.string(), message: z.string() }));

export const reloadedSchema = z.object({ reloadedCount: z.int(), errors, runId: z.string() });
export type Reloaded = z.infer<typeof reloadedSchema>;

export const deployedAllSchema = z.object({
  deployed: z.int(),
  failed: z.int(),
  errors,
  runId: z.string(),
  /** Whether a broker runs, which then discovers the servers. */
  running: z.boolean(),
});
export type DeployedAll = z.infer<typeof deployedAllSchema>;
