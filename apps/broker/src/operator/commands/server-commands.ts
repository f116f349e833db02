import { getServerFigures } from '@souk/contract/admin/servers.ts';
import { z } from 'zod';
import type { DeployedProgram } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { App } from '../../app-types.ts';

const argsSchema = z.object({ id: z.string() });

export const serverLogSchema = z.object({
  status: z.string(),
  detail: z.string().nullable(),
  /** Why the last connection or check failed, in words for operators. */
  reason: z.string().nullable(),
  /** Lines that its programs wrote to stderr. */
  lines: z.array(z.string()),
});
export const shownServerSchema = getServerFigures.answer.omit({ success: true });
export const deployedProgramsSchema = z.array(
  // an earlier broker does not say which secrets were entered
  z.object({ id: z.string(), alias: z.string(), entered: z.array(z.string()).default([]) }),
);

/** `souk server …`, only for the operator: what a program writes may contain names, files and addresses. */
export function serverCommands({
  catalogue,
  upstreams,
  serverFigures,
}: Pick<App, 'catalogue' | 'upstreams' | 'serverFigures'>): OperatorCommands {
  return {
    'server.log': async (args): Promise<z.input<typeof serverLogSchema>> => {
      const { id } = argsSchema.parse(args);
      const server = catalogue.snapshot().byId.get(id);
      if (!server) throw new SoukError('not_found', { message: `No server ${id} is deployed.` });
      return {
        status: server.status,
        detail: server.statusDetail ?? null,
        reason: upstreams.watch.failureOf(id) ?? null,
        lines: [...upstreams.programs.linesOf(id)],
      };
    },

    'server.show': (args): Promise<z.input<typeof shownServerSchema>> => serverFigures.read(argsSchema.parse(args).id),

    /** Lists the programs of deployed servers, so that a configuration can be checked before the broker gets it. */
    'server.programs': async (): Promise<DeployedProgram[]> =>
      catalogue
        .snapshot()
        .servers.flatMap(({ id, manifest: { connection } }) =>
          connection.type === 'stdio'
            ? [{ id, alias: connection.command, entered: upstreams.secrets.enteredFor(id, connection.command) }]
            : [],
        ),
  };
}
