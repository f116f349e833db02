import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import type {
  CheckedManifest,
  DeletedManifest,
  DeployedManifest,
  ListedServers,
  ManifestDiff,
  PersonalToolsDiff,
  ShownManifest,
  StagedManifest,
  UndeployedManifest,
} from '#operator/commands/manifests/manifest-results.ts';
import { plain } from '../printable.ts';

type Print = (line: string) => void;
type Definition = Record<string, unknown>;

const howToFill =
  'Deploy a manifest: npm run souk -- manifest deploy FILE|ID (docs/manifests.md says what a manifest is).';

export function printList({ running, servers }: ListedServers, print: Print): void {
  if (servers.length === 0) return print(`The catalog is empty. ${howToFill}`);
  const rows = servers.map((server) => [
    server.id,
    server.deployed ?? '-',
    server.staged ?? '-',
    server.deployed === undefined
      ? server.staged === undefined
        ? `undeployed (was ${server.last ?? '?'})`
        : 'not deployed'
      : (server.status ?? 'disconnected'),
    server.deployed === undefined ? '-' : String(server.tools),
    server.transport,
    [
      server.toolsUnderReview > 0 ? `${count(server.toolsUnderReview, 'tool')} under review` : '',
      server.statusDetail ?? '',
    ]
      .filter((text) => text !== '')
      .join('; '),
  ]);
  printTable([['ID', 'DEPLOYED', 'STAGED', 'STATUS', 'TOOLS', 'TRANSPORT', 'NOTE'], ...rows], print);
  if (servers.every(({ deployed }) => deployed === undefined)) {
    print(`Nothing is deployed, so the shop is empty. ${howToFill}`);
  }
  if (!running) print('No broker is running: each status is what the last one saw.');
}

function printTable(table: readonly (readonly string[])[], print: Print): void {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

export function printChecked(file: string, checked: CheckedManifest, print: Print): void {
  if (checked.ok) {
    print(`${file}: no problem (${checked.id} ${checked.version})`);
    return printNotes(checked.notes, print);
  }
  print(`${file}: ${count(checked.problems.length, 'problem')}`);
  for (const { path, message } of checked.problems) print(plain(`  ${path === '' ? '' : `${path}: `}${message}`));
}

export function printDeployed(answer: DeployedManifest, print: Print): void {
  const { id, version, tools } = answer;
  print(answer.result === 'deployed' ? `Deployed ${id} ${version}.` : `${id} ${version} is deployed already.`);
  printNotes(answer.notes, print);
  if (!answer.asked) return print('No broker is running: the next one asks the server what it offers.');
  if (answer.failure !== undefined) {
    print(`The server cannot be used yet: ${answer.statusDetail ?? answer.status} (${plain(answer.failure)}).`);
    return print('The broker keeps trying. The server stays in the shop with this status until you undeploy it.');
  }
  if (answer.statusDetail !== undefined) print(`Status: ${answer.status} (${answer.statusDetail}).`);
  print(tools.length === 0 ? 'It offers no tool yet.' : `It offers ${count(tools.length, 'tool')}:`);
  const width = Math.max(0, ...tools.map(({ exposedName }) => exposedName.length));
  for (const { exposedName, description } of tools)
    print(`  ${exposedName.padEnd(width)}  ${oneLine(description)}`.trimEnd());
  if (answer.prompts.length > 0) print(`Prompts: ${answer.prompts.map(plain).join(', ')}`);
  if (answer.resources.length > 0) print(`Resources: ${answer.resources.slice(0, 20).map(plain).join(', ')}`);
  if (answer.toolsUnderReview.length > 0) {
    print(`Under review: ${answer.toolsUnderReview.map(plain).join(', ')}. See: npm run souk -- manifest diff ${id}`);
  }
}

export function printUndeployed({ id, version, renters }: UndeployedManifest, print: Print): void {
  print(`Undeployed ${id} ${version}.`);
  printRenters(renters, print);
}

export function printDeleted({ id, renters }: DeletedManifest, print: Print): void {
  print(`Deleted ${id}. Its versions are kept: npm run souk -- manifest versions ${id}`);
  printRenters(renters, print);
}

export function printStaged({ id, version, result, notes }: StagedManifest, print: Print): void {
  printNotes(notes, print);
  if (result === 'unchanged') return print(`${id} ${version} is staged or deployed already.`);
  print(`Staged ${id} ${version}. Deploy it with: npm run souk -- manifest deploy ${id}`);
}

function printNotes(notes: readonly string[] | undefined, print: Print): void {
  for (const note of notes ?? []) print(plain(`Note: ${note}`));
}

export function printVersions({ versions }: Pick<ShownManifest, 'versions'>, print: Print): void {
  const rows = versions.map(({ version, status, createdAt, deployedAt, origin, stagedBy, reason }) => [
    version,
    status,
    createdAt.slice(0, 16).replace('T', ' '),
    deployedAt?.slice(0, 16).replace('T', ' ') ?? '-',
    stagedBy?.email ?? (origin === 'bundled' ? 'this installation' : 'command'),
    plain(reason ?? ''),
  ]);
  printTable([['VERSION', 'STATUS', 'CREATED (UTC)', 'DEPLOYED (UTC)', 'STAGED BY', 'REASON'], ...rows], print);
}

function printRenters(renters: number, print: Print): void {
  if (renters === 0) return;
  const who = renters === 1 ? '1 person rents it' : `${renters} people rent it`;
  print(`${who}. Rentals are not renewed: they end with the paid period, and nothing is refunded.`);
}

export function printDiff(diff: ManifestDiff, print: Print): void {
  const { id, deployed, staged, from, to, differences, effects, changes, keptHidden, missingSecrets, code } = diff;
  const areNamed = from !== (deployed ?? null) || to !== (staged ?? to);
  if (areNamed) print(`${id}: versions ${from ?? 'none'} and ${to} differ in ${count(differences.length, 'field')}.`);
  else if (staged !== undefined && deployed !== undefined) {
    print(
      `${id}: version ${staged} is staged, ${deployed} is deployed. They differ in ${count(differences.length, 'field')}.`,
    );
  } else if (staged !== undefined) print(`${id}: version ${staged} is staged and none is deployed.`);
  if (from !== null)
    for (const { text, before, after } of differences) {
      print(`  ${plain(text)}`);
      if (isLong(before) || isLong(after)) printValues(before, after, print);
    }
  if (from !== to && effects.length > 0) print(`What deploying ${to} does:`);
  if (from !== to) for (const effect of effects) print(`  ${plain(effect)}`);
  if (missingSecrets > 0) {
    const [missing, them] = missingSecrets === 1 ? ['1 secret is', 'it'] : [`${missingSecrets} secrets are`, 'them'];
    print(
      `${missing} missing: the server will not answer until it has ${them}. See: npm run souk -- secret list ${id}`,
    );
  }
  for (const { tool, kind, before, after } of changes) {
    print(kind === 'new' ? `Tool ${plain(tool)} is new:` : `Tool ${plain(tool)} has changed:`);
    printDefinitions(before, after, print);
  }
  for (const { tool, kind, before, after } of keptHidden) {
    print(`Tool ${plain(tool)} is kept hidden as it ${kind === 'new' ? 'appeared' : 'changed'}:`);
    printDefinitions(before, after, print);
  }
  const tools = changes.length > 0 ? '[TOOL…]' : 'TOOL…';
  if (changes.length + keptHidden.length > 0) {
    print(`Approve with: npm run souk -- manifest approve ${id} ${tools} --shown ${code}`);
  } else if (staged === undefined && !areNamed) print(`${id}: no tool is under review, and no version is staged.`);
}

/** Prints what would change in the shop for a server that users sign in to. */
export function printPersonalToolsDiff({ id, from, changes, code }: PersonalToolsDiff, print: Print): void {
  if (changes.length === 0) print(`The shop shows exactly what ${id} offers to ${from}.`);
  for (const { kind, name, before, after } of changes) {
    const what = `${kind.replace(/^./, (first) => first.toUpperCase())} ${plain(name)}`;
    print(after === null ? `${what} would be removed.` : before === null ? `${what} is new:` : `${what} has changed:`);
    if (after !== null) printDefinitions(before, after, print);
  }
  print(`Approve with: npm run souk -- manifest approve ${id} --from ${from} --shown ${code}`);
}

function printDefinitions(before: Definition | null, after: Definition, print: Print): void {
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after)])) {
    const [old, now] = [before?.[name], after[name]];
    if (JSON.stringify(old) !== JSON.stringify(now)) printDifference(name, old, now, print);
  }
}

export function printApproved({ approved }: { approved: readonly ToolChange[] }, print: Print): void {
  for (const { tool, serverId } of approved) print(`Approved ${plain(tool)} of ${serverId}.`);
}

/** Prints what the shop now shows of a server that users sign in to. */
export function printApprovedTools({ id, tools }: { id: string; tools: readonly string[] }, print: Print): void {
  print(`The shop shows ${tools.length} tools of ${id}:`);
  for (const tool of tools) print(`  ${plain(tool)}`);
}

function printDifference(name: string, before: unknown, after: unknown, print: Print): void {
  print(`  ${name}`);
  printValues(before, after, print);
}

function printValues(before: unknown, after: unknown, print: Print): void {
  for (const line of linesOf(before)) print(`    - ${line}`);
  for (const line of linesOf(after)) print(`    + ${line}`);
}

/** Whether the sentence about a value had to cut it, at 120 characters. */
function isLong(value: unknown): boolean {
  return linesOf(value).join('').length > 120;
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n').map(plain);
}

function oneLine(text: string): string {
  const [first = ''] = text.split('\n', 1);
  return plain(first.length > 100 ? `${first.slice(0, 99)}…` : first);
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
