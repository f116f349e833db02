import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { pricedButMissing, presentTools } from './present-tools.ts';
import { readServerFigures, type FiguresParts } from './read-figures.ts';
import { readToolUse } from './read-month.ts';

export type ServerUse = ReturnType<typeof createServerFigures>;

export function createServerFigures(parts: FiguresParts & { catalogue: Catalogue }) {
  const { catalogue, query, clock } = parts;
  const find = (id: string) => catalogue.snapshot().byId.get(id);

  async function findStaged(id: string) {
    const staged = (await catalogue.versions(id)).find(({ status }) => status === 'staging');
    return staged && catalogue.findManifest(id, staged.version);
  }

  return {
    /** @throws SoukError not_found if no version of it is known */
    async read(id: string): Promise<Omit<ServerFigures, 'success'>> {
      const server = find(id);
      if (!server && (await catalogue.versions(id)).length === 0) {
        throw new SoukError('not_found', { message: `There is no manifest of ${id}.` });
      }
      return readServerFigures(id, server, parts);
    },

    /** @throws SoukError not_found if it is not deployed */
    async readTools(id: string) {
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
