import { z } from 'zod';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { App } from '../../app-types.ts';

const argsSchema = z.object({ id: z.string() });

/** How a server is, and what its programs wrote to stderr. */
export const serverLogSchema = z.object({
  status: z.string(),
  detail: z.string().nullable(),
  /** Why it could not be asked or checked last, in an operator's words. */
  reason: z.string().nullable(),
  lines: z.array(z.string()),
});

/** For the operator alone: what a program writes may name people, files and addresses. */
export function serverLogCommand({ catalogue, upstreams }: Pick<App, 'catalogue' | 'upstreams'>): OperatorCommands {
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
  };
}
