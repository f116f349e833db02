import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { changeSnapshot, emptySnapshot } from '../snapshot/create-snapshot.ts';
import { freeOfCharge } from '../prices/tool-price.ts';
import type { CatalogueItem, CatalogueServer, CatalogueSnapshot } from '../snapshot/snapshot.ts';

export function createSnapshot(version: number, servers: readonly CatalogueServer[]): CatalogueSnapshot {
  return { ...changeSnapshot(emptySnapshot, new Set(), servers), version };
}

const subjects = 'Weather Travel Notes Calendar Invoice Ticket Postcode Exchange Translation Recipe Music Map'.split(
  ' ',
);
const kinds = 'Desk Hub Finder Archive Studio Board Index Service'.split(' ');
const verbs = 'find list create update delete compare export import summarise watch'.split(' ');
const categories = ['api', 'data', 'productivity'] as const;
const tiers = ['T0', 'T1', 'T2', 'T3'] as const;
const statuses = ['connected', 'connected', 'connected', 'disconnected', 'error'] as const;

/** An invented catalogue of many servers, the same for the same count: the shop at the size of a registry. */
export function manyServers(count: number, toolsPerServer = 10): CatalogueSnapshot {
  return createSnapshot(
    1,
    Array.from({ length: count }, (_, number) => oneServer(number, toolsPerServer)),
  );
}

const pick = <Item>(list: readonly [Item, ...Item[]] | readonly Item[], number: number): Item => {
  const item = list[number % list.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
};

function oneServer(number: number, toolsPerServer: number): CatalogueServer {
  const subject = pick(subjects, number);
  const kind = pick(kinds, Math.floor(number / subjects.length));
  const id = `${subject}-${kind}-${number}`.toLowerCase();
  const tier = pick(tiers, number);
  return {
    id,
    slug: `s${number}`,
    manifest: manifestSchema.parse({
      serviceType: 'mcp',
      id,
      name: `${subject} ${kind} ${number}`,
      version: '1.0.0',
      description: `Looks after everything about ${subject.toLowerCase()} for teams that work with the ${kind.toLowerCase()}: entries, changes, history and reports number ${number}.`,
      category: pick(categories, number),
      author: `Maker ${number % 97}`,
      connection: { type: 'http', url: `https://${id}.example/mcp` },
      billing: { tier, ...(tier !== 'T0' && number % 2 === 0 && { rental: { price: 100 + (number % 50) * 100 } }) },
    }),
    status: pick(statuses, number),
    statusDetail: undefined,
    era: undefined,
    instructions: undefined,
    features: undefined,
    icon: undefined,
    leftOut: undefined,
    answerSha256: undefined,
    prices: new Map(),
    tools: Array.from({ length: toolsPerServer }, (_, position) => oneTool(id, subject, number, position)),
    toolsUnderReview: [],
    prompts: [],
    resources: [],
    templates: [],
    offersHash: id,
    discoveredAtMs: Date.UTC(2026, 10, 1) + number * 60_000,
    deployedAtMs: Date.UTC(2026, 9, 1),
  };
}

function oneTool(serverId: string, subject: string, number: number, position: number): CatalogueItem {
  const name = `${pick(verbs, position)}_${subject.toLowerCase()}_${number}`;
  return {
    serverId,
    name,
    exposedName: `${serverId}__${name}`,
    definition: {
      name,
      title: `${pick(verbs, position)} ${subject} entries`,
      description: `Works on the ${subject.toLowerCase()} entries of the signed-in team, and answers a table of what was found or changed.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What is looked for, in words.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Rows of the answer.' },
        },
        required: ['query'],
      },
    },
    sha256: name,
    resultTypes: undefined,
    creditCost: position === 0 ? 2 : 0,
    price: freeOfCharge,
    underReview: false,
    keptHidden: false,
    approved: true,
    flagged: false,
    textChangedAtMs: undefined,
  };
}
