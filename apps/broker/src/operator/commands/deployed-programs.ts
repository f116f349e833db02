import { z } from 'zod';
import type { Catalogue, DeployedProgram } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

export const deployedProgramsSchema = z.array(
  // an earlier broker does not say what was entered
  z.object({ id: z.string(), alias: z.string(), entered: z.array(z.string()).default([]) }),
);

/** The programs of deployed servers, for a check of a configuration before the broker gets it. */
export function deployedProgramsCommand({
  catalogue,
  upstreams: { secrets },
}: {
  catalogue: Pick<Catalogue, 'snapshot'>;
  upstreams: Pick<Upstreams, 'secrets'>;
}): OperatorCommands {
  return {
    'server.programs': async (): Promise<DeployedProgram[]> =>
      catalogue
        .snapshot()
        .servers.flatMap(({ id, manifest: { connection } }) =>
          connection.type === 'stdio'
            ? [{ id, alias: connection.command, entered: secrets.enteredFor(id, connection.command) }]
            : [],
        ),
  };
}
