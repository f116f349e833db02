import { getServerFigures, listServerTools } from '@souk/contract/admin-servers.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { firstShownDay } from '../server-record/every-day.ts';
import { pricedButMissing, presentTools } from './present-tools.ts';
import { readServerFigures, type FiguresParts } from './read-figures.ts';
import { readToolUse } from './read-month.ts';

/** What the page of a server shows of its use to administrators. */
export function mountServerFigures(router: Router, given: FiguresParts & { catalogue: Catalogue }): void {
  const { catalogue, query, clock } = given;
  const find = (id: string) => catalogue.snapshot().byId.get(id);

  router.route(getServerFigures, async ({ params: { id } }) => {
    const server = find(id);
    if (!server && (await catalogue.versions(id)).length === 0) {
      throw new SoukError('not_found', { message: `There is no manifest of ${id}.` });
    }
    return { success: true as const, ...(await readServerFigures(id, server, given)) };
  });

  router.route(listServerTools, async ({ params: { id } }) => {
    const server = find(id);
    if (!server) throw new SoukError('not_found', { message: `No server ${id} is deployed.` });
    const [staged, use, { changes }] = await Promise.all([
      findStaged(id),
      readToolUse(query, id, firstShownDay(clock.now())),
      catalogue.pendingTools(id),
    ]);
    const tools = presentTools(server, { staged, use, pending: changes });
    return { success: true as const, tools, pricedButMissing: pricedButMissing(server) };
  });

  async function findStaged(id: string) {
    const staged = (await catalogue.versions(id)).find(({ status }) => status === 'staging');
    return staged && catalogue.findManifest(id, staged.version);
  }
}
