import type { AdminTool, ServerFigures } from '@souk/contract/admin/servers.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { pricedButMissing, presentTools } from './present-tools.ts';
import { readServerFigures, type FiguresParts } from './read-figures.ts';
import { readToolUse } from './read-month.ts';

/** A server's use, for administrators and the operator. */
export type ServerUse = {
  /** @throws SoukError not_found if no version of it is known */
  read(serverId: string): Promise<Omit<ServerFigures, 'success'>>;
  /** @throws SoukError not_found if it is not deployed */
  readTools(serverId: string): Promise<{ tools: AdminTool[]; pricedButMissing: { name: string; credits: number }[] }>;
};

export function createServerFigures(parts: FiguresParts & { catalogue: Catalogue }): ServerUse {
  const { catalogue, query, clock } = parts;
  const find = (id: string) => catalogue.snapshot().byId.get(id);

  async function findStaged(id: string) {
    const staged = (await catalogue.versions(id)).find(({ status }) => status === 'staging');
    return staged && catalogue.findManifest(id, staged.version);
  }

  return {
    async read(id) {
      const server = find(id);
      if (!server && (await catalogue.versions(id)).length === 0) {
        throw new SoukError('not_found', { message: `There is no manifest of ${id}.` });
      }
      return readServerFigures(id, server, parts);
    },

    async readTools(id) {
      const server = find(id);
      if (!server) throw new SoukError('not_found', { message: `No server ${id} is deployed.` });
      const [staged, use, { changes }, rejected] = await Promise.all([
        findStaged(id),
        readToolUse(query, id, clock.now()),
        catalogue.pendingTools(id),
        catalogue.rejectedTools(id),
      ]);
      const tools = presentTools(server, { staged, use, pending: changes, rejected });
      return { tools, pricedButMissing: pricedButMissing(server) };
    },
  };
}
