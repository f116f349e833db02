import { getServerFigures } from '@souk/contract/admin/servers.ts';
import { z } from 'zod';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { App } from '../../app-types.ts';

const argsSchema = z.object({ id: z.string() });

export const shownServerSchema = getServerFigures.answer.omit({ success: true });

/** What the administrators' screen shows of a server. */
export function showServerCommand({ serverFigures }: Pick<App, 'serverFigures'>): OperatorCommands {
  return {
    'server.show': (args): Promise<z.input<typeof shownServerSchema>> => serverFigures.read(argsSchema.parse(args).id),
  };
}
