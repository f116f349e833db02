import { expect, test } from 'vitest';
import type { Catalogue, CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { createLog } from '#platform/log.ts';
import { logServerChanges } from './log-server-changes.ts';

type CatalogueListener = Parameters<Catalogue['onChange']>[0];

/** Sets up a catalogue of one server whose status can be set, and the results of this broker's own checks. */
function following() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  let failure: string | undefined;
  let told: CatalogueListener = () => {};
  const server = (status: string, statusDetail?: string) =>
    ({ id: 'notes', deployedAtMs: 1, manifest: { version: '1.0.0' }, status, statusDetail }) as CatalogueServer;
  let now = server('connected');
  const snapshot = () => ({ servers: [now], byId: new Map([[now.id, now]]) }) as unknown as CatalogueSnapshot;
  const catalogue = { snapshot, onChange: (listener: CatalogueListener) => ((told = listener), () => {}) };
  const { look } = logServerChanges({ catalogue: catalogue as Catalogue, failureOf: () => failure, log });
  return {
    look,
    found: (reason: string | undefined) => (failure = reason),
    becomes(status: string, detail?: string) {
      const before = [now];
      now = server(status, detail);
      told(snapshot(), [now], before);
    },
    down: () => lines.filter(({ msg }) => msg === 'upstream down').map(({ reason }) => reason),
  };
}
const away = ['disconnected', 'The server cannot be reached'] as const;

test('the log line of a broker that learns of an outage from another one has the reason of its own check', () => {
  const { look, found, becomes, down } = following();
  look();
  becomes(...away);
  expect(down()).toEqual([]);
  found('connect ECONNREFUSED');
  look();
  look();
  expect(down()).toEqual(['connect ECONNREFUSED']);
  // without any reason the outage is logged anyway
  found(undefined);
  becomes('connected');
  becomes(...away);
  look();
  expect(down()).toHaveLength(1);
  look();
  expect(down()).toEqual(['connect ECONNREFUSED', undefined]);
});

test('each further reason of an outage is logged once, and only the first of endless ones', () => {
  const { look, found, becomes, down } = following();
  look();
  found('connect ECONNREFUSED');
  becomes(...away);
  for (const reason of ['CERT_HAS_EXPIRED', 'connect ECONNREFUSED', 'CERT_HAS_EXPIRED']) {
    found(reason);
    look();
    look();
  }
  expect(down()).toEqual(['connect ECONNREFUSED', 'CERT_HAS_EXPIRED']);
  for (let each = 0; each < 20; each++) {
    found(`request ${each} failed`);
    look();
  }
  expect(down()).toHaveLength(8);
  // the next outage is counted separately
  becomes('connected');
  becomes(...away);
  expect(down()).toHaveLength(9);
});
