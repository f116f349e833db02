import { z } from 'zod';

/** What the operator's commands on all manifests answer, over the socket and with `--json`. */
const errors = z.array(z.object({ id: z.string(), message: z.string() }));

export const reloadedSchema = z.object({ reloadedCount: z.int(), errors, runId: z.string() });
export type Reloaded = z.infer<typeof reloadedSchema>;

export const deployedAllSchema = z.object({
  deployed: z.int(),
  failed: z.int(),
  errors,
  runId: z.string(),
  /** Whether a broker runs: it asks the servers what they offer. */
  running: z.boolean(),
});
export type DeployedAll = z.infer<typeof deployedAllSchema>;
