import type { testFindingSchema } from '@souk/contract/admin/servers.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { z } from 'zod';
import {
  cleanText,
  sharedFolderNotes,
  type Discovered,
  type InspectedLists,
  type ManifestPolicy,
} from '#features/catalogue/index.ts';
import { asRecord } from '#platform/json.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';

export type Finding = z.output<typeof testFindingSchema>;

type Item = InspectedLists['items'][number];

/** Findings of one test (contract). */
const maxFindings = 500;
/** Tool names that clients accept. */
const clientName = /^[A-Za-z0-9_-]{1,64}$/;
/** Argument names that Anthropic's API accepts. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;
/** Tokens of a large definition: more than all tools of most servers take together. */
const largeTokens = 2000;

/** Returns what users and their clients will notice about a server's lists, faults first. */
export function findFaults(
  manifest: Manifest,
  discovered: Discovered,
  lists: InspectedLists,
  policy: Pick<ManifestPolicy, 'keepsFiles'>,
): Finding[] {
  const tokensOf = new Map(lists.tools.map(({ name, tokens }) => [name, tokens]));
  const findings = [
    ...sharedFolderNotes(manifest, policy).map((text): Finding => ({ weight: 'bad', about: null, text })),
    ...leftOutFindings(lists),
    ...mendedFindings(discovered),
    ...lists.items.flatMap((item) =>
      item.kind === 'tool' ? toolFindings(item, tokensOf.get(item.name) ?? 0) : itemFindings(item),
    ),
    ...priceFindings(manifest, lists),
    ...instructionFindings(discovered),
    totalFinding(lists),
  ];
  const byWeight = findings.toSorted((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'));
  if (byWeight.length <= maxFindings) return byWeight;
  const more = byWeight.length - maxFindings + 1;
  return [...byWeight.slice(0, maxFindings - 1), { weight: 'bad', about: null, text: `${more} more are not shown.` }];
}

function leftOutFindings({ leftOut: dropped }: InspectedLists): Finding[] {
  return dropped.map(({ kind, name, reason }) => ({
    weight: 'bad',
    about: shown(name),
    text: `The ${kind} is left out: ${reason}.`,
  }));
}

function mendedFindings({ mended: tools = [] }: Discovered): Finding[] {
  return tools.map(({ name, places }) => {
    const where = `${places.slice(0, 3).join(', ')}${places.length > 3 ? ', …' : ''}`;
    return bad(name, `Clients or models refuse a part of its schemas. It is listed without: ${where}.`);
  });
}

function toolFindings(item: Item, tokens: number): Finding[] {
  const { name, exposedName, body } = item;
  const found = hiddenText(item);
  if (!clientName.test(name)) {
    const size = name.length > 64 ? `, of ${name.length} characters` : '';
    const rule = 'clients accept only up to 64 letters, digits, _ and -';
    const where = `On the link of this server it has its own name${size}: ${rule}`;
    found.push(bad(name, `${where}. On the all-servers link it is named ${exposedName}.`));
  } else if (!exposedName.endsWith(`__${name}`)) {
    found.push(info(name, `On the all-servers link its name is shortened to ${exposedName}.`));
  }
  const argument = refusedArgument(body['inputSchema']);
  if (argument !== undefined) {
    found.push(bad(name, `Some clients refuse its input schema: the name of the argument "${argument.slice(0, 80)}".`));
  }
  const description = body['description'];
  if (typeof description !== 'string' || description.trim() === '') {
    found.push(info(name, 'It has no description, which models need to choose a tool.'));
  }
  if (tokens > largeTokens) found.push(info(name, `Its definition takes about ${tokens} tokens of a model's context.`));
  return found;
}

/** Returns the first argument whose name clients or their models refuse. */
function refusedArgument(schema: unknown): string | undefined {
  return Object.keys(asRecord(asRecord(schema)?.['properties']) ?? {}).find((name) => !argumentName.test(name));
}

function itemFindings(item: Item): Finding[] {
  const { kind, name, exposedName } = item;
  const found = hiddenText(item);
  const isMoved = (kind === 'resource' || kind === 'template') && exposedName !== name;
  if (isMoved)
    found.push(
      info(
        name,
        `Another server has the same address, or it would match any address: it is listed as ${shown(exposedName)}.`,
      ),
    );
  return found;
}

function hiddenText({ name, flagged }: Item): Finding[] {
  return flagged ? [bad(name, 'Its texts contain characters that hide or reorder text: they are removed.')] : [];
}

function priceFindings({ billing }: Manifest, { tools }: InspectedLists): Finding[] {
  const names = new Set(tools.map(({ name }) => name));
  return Object.entries(billing?.toolCosts ?? {})
    .filter(([name]) => !names.has(name))
    .map(([name, credits]) => bad(name, `It has a price of ${credits} credits, and the server does not offer it.`));
}

function instructionFindings({ instructions }: Discovered): Finding[] {
  if (instructions === undefined || !cleanText(instructions).flagged) return [];
  const text = "The server's instructions contain characters that hide or reorder text: they are removed.";
  return [{ weight: 'bad', about: null, text }];
}

function totalFinding({ tools }: InspectedLists): Finding {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return { weight: 'info', about: null, text: `All tools together take about ${tokens} tokens of a model's context.` };
}

const bad = (about: string, text: string): Finding => ({ weight: 'bad', about: shown(about), text });
const info = (about: string, text: string): Finding => ({ weight: 'info', about: shown(about), text });
const shown = (name: string) => cleanLabel(name, 256);
