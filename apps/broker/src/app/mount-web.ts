import { firstOnHome, type Catalogue, type CatalogueSnapshot, type ServerIndex } from '#features/catalogue/index.ts';
import type { Gateway } from '#features/gateway/index.ts';
import { mountLegalTexts, readLegalTexts } from '../pages/legal-texts.ts';
import { mountApiDocs } from '../api-docs/mount-api-docs.ts';
import { answerNotFound, serveWeb, type AnswerUnknown } from '../web-app/serve-web.ts';
import type { Door } from './open-door.ts';
import type { Platform } from './open-platform.ts';

/** Serves the built web app and answers all other addresses. Without a folder it serves only the API. */
export async function mountWeb(
  { server, router }: Door,
  { config, paths }: Platform,
  parts: {
    folder: string | undefined;
    catalogue: Catalogue;
    indexOf(snapshot: CatalogueSnapshot): ServerIndex;
    gateway: Gateway;
    /** Shown to new users on pages. */
    welcomeCredits: number;
  },
): Promise<void> {
  const { folder, gateway, welcomeCredits } = parts;
  const { snapshot } = parts.catalogue;
  const homeOrder = (count: number) => firstOnHome(parts.indexOf(snapshot()), count);
  const legal = readLegalTexts(config, paths.legal);
  mountLegalTexts(router, legal);
  mountApiDocs(server, config);
  const answerUnknown: AnswerUnknown = (request, reply) => gateway.answerUnknown(request, reply);
  if (folder) await serveWeb(server, { folder, config, snapshot, homeOrder, legal, welcomeCredits, answerUnknown });
  else server.setNotFoundHandler((request, reply) => void (answerUnknown(request, reply) || answerNotFound()));
}
