import {
  compactSuggestedAbove,
  getGatewayPreferences,
  putGatewayPreferences,
  type GatewayPreferences,
} from '@souk/contract/gateway.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { readGatewayPreferences, writeGatewayPreferences } from './gateway-preferences.ts';
import { metaTools } from '../meta-tools/meta-tool-definitions.ts';
import { isListed } from '../view/is-listed.ts';
import type { PersonalView } from '../view/personal-view.ts';

/** The capabilities of a client that can answer every kind of question. */
const everyAnswer = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Settings for the list of /mcp. Only the token identifies the user (clarifications, Addresses). */
export function mountGatewayPreferences(
  router: Router,
  options: {
    query: Query;
    catalogue: Catalogue;
    view: PersonalView;
    /** Notifies the user's open clients, on every replica, that their list changed. */
    announce(userId: string): Promise<void>;
  },
): void {
  const { query, catalogue, view } = options;

  async function present(userId: string, chosen: GatewayPreferences) {
    const seen = await view(userId);
    const tools = catalogue.snapshot().servers.flatMap((server) => seen.part(server)?.tools ?? []);
    const visibleTools = tools.filter((tool) => isListed({}, tool)).length;
    return {
      success: true as const,
      ...chosen,
      visibleTools,
      helperTools: metaTools.length,
      askingTools: tools.filter((tool) => isListed(everyAnswer, tool)).length - visibleTools,
      compactSuggested: !chosen.compactMode && visibleTools > compactSuggestedAbove,
    };
  }

  router.route(getGatewayPreferences, async ({ caller, params }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    return present(caller.userId, await readGatewayPreferences(query, caller.userId));
  });

  router.route(putGatewayPreferences, async ({ caller, params, body }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    await writeGatewayPreferences(query, caller.userId, body);
    await options.announce(caller.userId);
    return present(caller.userId, body);
  });
}
