import { parseManifest, type ManifestPolicy } from '#features/catalogue/index.ts';
import type { App } from '../app-types.ts';
import { waitUntil } from './wait-until.ts';

/** The program fault-stdio.ts. */
const faults =
  'fault flood notices deep exit-on-call chatty changes-tools wrong-results greedy hungry forks litter endless-stderr';

/** Tests may use what a real installation would refuse: addresses of this machine. */
const policy: ManifestPolicy = {
  stdioAliases: new Set(`everything memory filesystem sequential-thinking ${faults}`.split(' ')),
  services: new Set(['travel', 'calendar', 'notes']),
  addressProblem: () => undefined,
};

/** Longest deadlines of a manifest: a busy machine needs more than the defaults to start a program. */
export const patience = { connectMs: 30_000, listMs: 60_000, callMs: 300_000 };

const defaults = {
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'A server of a test.',
  category: 'data',
};

/**
 * Deploys a manifest and waits until its server was queried; `unasked` does not wait. Deadlines that it does not name
 * are long.
 */
export async function deployManifest(
  app: App,
  manifest: { id: string; deadlines?: Partial<typeof patience> } & Record<string, unknown>,
  expectStatus: 'connected' | 'disconnected' | 'error' | 'unasked' = 'connected',
): Promise<void> {
  // as versions deployed before such icons were refused: tests serve icons over http
  const { icon, ...sent } = manifest;
  const deadlines = { ...patience, ...manifest.deadlines };
  const read = parseManifest(JSON.stringify({ name: manifest.id, ...defaults, ...sent, deadlines }), policy);
  const parsed = typeof icon === 'string' ? { ...read, icon } : read;
  await app.catalogue.stage(parsed, { origin: 'admin' });
  await app.catalogue.deploy(parsed.id, parsed.version);
  if (expectStatus === 'unasked') return;
  await waitUntil(`${parsed.id} to be ${expectStatus}`, () => {
    const server = app.catalogue.snapshot().byId.get(parsed.id);
    return server?.status === expectStatus && (expectStatus === 'connected' || server.statusDetail !== undefined);
  });
}
