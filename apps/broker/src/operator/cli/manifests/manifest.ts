import {
  approvedSchema,
  deployedSchema,
  diffSchema,
  listSchema,
  approvedToolsSchema,
  personalToolsDiffSchema,
  undeployedSchema,
  type CheckedManifest,
} from '#operator/commands/manifests/manifest-results.ts';
import {
  answeredCommand,
  askBrokerOrRun,
  flag,
  jsonHelp,
  ReportedError,
  required,
  show,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from '../command.ts';
import { deployAll, reloadCommand } from './manifest-runs.ts';
import { manifestVersionCommands, removingCommand } from './manifest-versions.ts';
import { checkBy, fileHelp, helpCommandOf, isFile, readChecked, readSource, reasonHelp } from './manifest-source.ts';
import {
  printApproved,
  printChecked,
  printDeployed,
  printDiff,
  printList,
  printApprovedTools,
  printPersonalToolsDiff,
  printUndeployed,
} from './print-manifest.ts';

/** Longer than a deployment waits for the first discovery: 30 s to connect, and 60 s for its lists. */
const deployTimeoutMs = 150_000;

const providerHelp = [
  '--provider P',
  "with --from: the user's sign-in provider, if two users have the address",
] as const;

/** `souk manifest …`: the operator's own servers, without a restart and without a checkout. */
export const manifestCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'manifest list',
    summary: 'lists the servers of the catalog, with their versions and status',
    command: 'manifest.list',
    answer: listSchema,
    print: printList,
  }),
  {
    name: 'manifest check',
    summary: 'checks manifests and prints every problem with its field',
    usage: 'manifest check FILE… [--json]',
    options: { json: flag },
    argument: 'FILE',
    takesMany: true,
    help: [
      ['FILE', 'a manifest; - reads standard input'],
      jsonHelp,
      ['', 'exits with 1 when a manifest has a problem'],
    ],
    standsAlone: true,
    run: checkFiles,
  },
  {
    name: 'manifest deploy',
    summary: 'makes a manifest live, waits for its server to answer, and prints what the server offers',
    usage: 'manifest deploy FILE|ID|--all [--version V] [--reason R] [--json]',
    options: { json: flag, version: text, all: flag, reason: text },
    argument: 'FILE',
    help: [
      fileHelp,
      ['ID', 'a server that the catalog knows: its staged version, or the one that was live last'],
      ['--all', 'everything that an administrator staged, one by one; bundled drafts are deployed by name only'],
      ['--version V', 'with ID: another known version of it'],
      reasonHelp,
      jsonHelp,
      ['', 'exits with 1 when the manifest is refused, and when its server cannot be reached'],
    ],
    run: deploy,
  },
  reloadCommand,
  {
    name: 'manifest test',
    summary: 'connects to the server of a manifest as a deployment would, and prints each step and what it found',
    usage: 'manifest test FILE|ID [--version V] [--json]',
    options: { json: flag, version: text },
    argument: 'FILE',
    help: [
      fileHelp,
      ['ID', 'a server that the catalog knows: its staged version, else the deployed one'],
      ['--version V', 'with ID: another known version of it'],
      jsonHelp,
      ['', 'the broker runs the test without touching what is deployed; exits with 1 when a step fails'],
    ],
    run: async (values, cli) => (await import('./test-manifest.ts')).testManifest(values, cli),
  },
  {
    name: 'manifest import',
    summary: "turns a client's configuration or a registry's server.json into manifests, without secrets",
    usage: 'manifest import FILE|- [--to DIR] [--json]',
    options: { json: flag, to: text },
    argument: 'FILE',
    help: [
      [
        'FILE',
        'a configuration of Claude, Cursor, VS Code, opencode, Codex …, or a server.json; - reads standard input',
      ],
      ['--to DIR', 'the folder to write to; by default CATALOGUE_DIR, whose files the next start deploys'],
      jsonHelp,
      ['', 'exits with 1 when an entry was not imported'],
    ],
    standsAlone: true,
    run: async (values, cli) => (await import('./import-manifests.ts')).importManifests(values, cli),
  },
  removingCommand({
    name: 'undeploy',
    summary: 'removes servers from the shop and from all links; running calls finish, and the history is kept',
    help: [['ID', 'a deployed server'], reasonHelp, jsonHelp],
    answer: undeployedSchema,
    print: printUndeployed,
  }),
  ...manifestVersionCommands,
  {
    name: 'manifest diff',
    summary: 'shows how two versions differ, what deploying would change for whom, and the tools under review',
    usage: 'manifest diff ID [--from-version A] [--to-version B] [--from E [--provider P]] [--json]',
    options: { json: flag, from: text, provider: text, 'from-version': text, 'to-version': text },
    argument: 'ID',
    help: [
      ['ID', 'a server of the catalog'],
      ['--from-version A', 'a version; by default the deployed one'],
      ['--to-version B', 'the version to compare it with; by default the staged one'],
      ['--from E', "for a server that users sign in to: compare the shop with the tools of this user's account"],
      providerHelp,
      jsonHelp,
    ],
    run: showDifferences,
  },
  {
    name: 'manifest approve',
    summary: 'approves how tools of a server changed, so that they are shown and can be called again',
    usage: 'manifest approve ID [TOOL…] --shown CODE [--from E [--provider P]] [--reason R] [--json]',
    options: { json: flag, shown: text, reason: text, from: text, provider: text },
    argument: 'ID',
    takesMany: true,
    help: [
      ['ID', 'a deployed server; "manifest diff ID" shows what changed'],
      ['TOOL', 'tools to approve, also hidden ones; by default all tools under review'],
      ['--shown CODE', 'printed by "manifest diff": nothing is approved if the tools have changed since'],
      ['--from E', "for a server that users sign in to: the shop shows the tools of this user's account"],
      providerHelp,
      reasonHelp,
      jsonHelp,
    ],
    run: approve,
  },
];

async function checkFiles(values: Values, cli: CliOptions, files: readonly string[]): Promise<void> {
  if (files.length === 0) throw new UsageError(`FILE is required. See: ${helpCommandOf('check')}`);
  const results: (CheckedManifest & { file: string })[] = [];
  let asked: Omit<Awaited<ReturnType<typeof checkBy>>, 'checked'> | undefined;
  for (const file of files) {
    const { checked, ...by } = await checkBy(await readSource(file, cli), cli);
    asked = by;
    results.push({ file, ...checked });
  }
  // on stderr, since a program may read the answer
  if (asked?.askedBroker === false) {
    cli.stderr(
      `No broker was asked, since none runs on the data folder ${asked.dataDir}: addresses and programs were judged by the variables of this command. Set DATA_DIR to the folder of your broker to check by its rules.`,
    );
  }
  if (values.json === true) cli.stdout(JSON.stringify({ manifests: results }));
  else for (const result of results) printChecked(result.file, result, cli.stdout);
  if (results.some(({ ok }) => !ok)) throw new ReportedError();
}

async function deploy(values: Values, cli: CliOptions): Promise<void> {
  const { version, reason } = values;
  if (values.all === true) {
    if (values.FILE !== undefined || version !== undefined)
      throw new UsageError('--all cannot be combined with FILE, ID or --version');
    return deployAll(values, cli);
  }
  const what = required(values, 'FILE', 'manifest deploy');
  if (isFile(what) && version !== undefined) throw new UsageError('--version goes with an ID, not with a file');
  const manifest = isFile(what) ? { source: await readChecked(what, values, cli) } : { id: what, version };
  const answer = await askBrokerOrRun(cli, deployedSchema, 'manifest.deploy', { ...manifest, reason }, deployTimeoutMs);
  show(answer, printDeployed, { values, ...cli });
  if (answer.failure !== undefined) throw new ReportedError();
}

async function showDifferences(values: Values, cli: CliOptions): Promise<void> {
  const id = required(values, 'ID', 'manifest diff');
  const { from, provider, 'from-version': fromVersion, 'to-version': toVersion } = values;
  if (from === undefined) {
    const args = { id, from: fromVersion, to: toVersion };
    const answer = await askBrokerOrRun(cli, diffSchema, 'manifest.diff', args);
    return show(answer, printDiff, { values, ...cli });
  }
  if (fromVersion !== undefined || toVersion !== undefined)
    throw new UsageError('--from names an account: leave the versions out');
  const diff = await askBrokerOrRun(cli, personalToolsDiffSchema, 'manifest.diff-personal-tools', {
    id,
    from,
    provider,
  });
  show(diff, printPersonalToolsDiff, { values, ...cli });
}

async function approve(values: Values, cli: CliOptions, [id, ...tools]: readonly string[]): Promise<void> {
  if (id === undefined) throw new UsageError(`ID is required. See: ${helpCommandOf('approve')}`);
  const { shown, reason, from } = values;
  if (typeof shown !== 'string') {
    const account = typeof from === 'string' ? ` --from ${from}` : '';
    throw new UsageError(
      `--shown is required. "npm run souk -- manifest diff ${id}${account}" shows what you approve, and its code`,
    );
  }
  if (from !== undefined) return approvePersonalTools(id, tools, values, cli);
  const answer = await askBrokerOrRun(cli, approvedSchema, 'manifest.approve', { id, tools, shown, reason });
  show(answer, printApproved, { values, ...cli });
}

async function approvePersonalTools(
  id: string,
  tools: readonly string[],
  values: Values,
  cli: CliOptions,
): Promise<void> {
  if (tools.length > 0) throw new UsageError('--from approves the whole list: leave the tools out');
  const { json: _json, ...args } = values;
  const answer = await askBrokerOrRun(cli, approvedToolsSchema, 'manifest.approve-personal-tools', { id, ...args });
  show(answer, printApprovedTools, { values, ...cli });
}
