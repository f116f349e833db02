import {
  approvedSchema,
  deployedSchema,
  diffSchema,
  listSchema,
  offerApprovedSchema,
  offerDiffSchema,
  undeployedSchema,
  type CheckedManifest,
} from '#operator/commands/manifests/manifest-results.ts';
import {
  askBrokerOrRun,
  ReportedError,
  required,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from '../command.ts';
import { deployAll, reloadCommand } from './manifest-runs.ts';
import { manifestVersionCommands } from './manifest-versions.ts';
import { check, checkBy, isFile, readSource } from './manifest-source.ts';
import {
  printApproved,
  printChecked,
  printDeployed,
  printDiff,
  printList,
  printOffer,
  printOfferDiff,
  printUndeployed,
} from './print-manifest.ts';

/** A deployment waits for the first discovery, which has 30 s to connect and 60 s for its lists at most. */
const deployTimeoutMs = 150_000;

const json = { json: { type: 'boolean' } } as const;
const jsonHelp = ['--json', 'print the answer as JSON'] as const satisfies [string, string];

/** `souk manifest …`: an operator's own servers, without a restart and without a checkout. */
export const manifestCliCommands: readonly Command[] = [
  {
    name: 'manifest list',
    summary: 'lists the servers of the catalog, with their versions and status',
    usage: 'manifest list [--json]',
    options: json,
    help: [jsonHelp],
    async run(values, { environment, stdout, stderr }) {
      const answer = listSchema.parse(await askBrokerOrRun({ environment, stderr }, 'manifest.list', {}));
      if (values.json === true) stdout(JSON.stringify(answer));
      else printList(answer, stdout);
    },
  },
  {
    name: 'manifest check',
    summary: 'checks manifests and prints every problem with its field',
    usage: 'manifest check FILE… [--json]',
    options: json,
    argument: 'FILE',
    takesMany: true,
    help: [
      ['FILE', 'a manifest; - reads standard input'],
      jsonHelp,
      ['', 'exits with 1 when a manifest has a problem'],
    ],
    standsAlone: true,
    async run(values, cli, files) {
      if (files.length === 0) throw new UsageError('FILE is required. See: npm run souk -- manifest check --help');
      const results: (CheckedManifest & { file: string })[] = [];
      let asked: Omit<Awaited<ReturnType<typeof checkBy>>, 'checked'> | undefined;
      for (const file of files) {
        const { checked, ...by } = await checkBy(await readSource(file, cli), cli);
        asked = by;
        results.push({ file, ...checked });
      }
      // not among the answer, which a program may read
      if (asked?.askedBroker === false) {
        cli.stderr(
          `No broker was asked, since none runs on the data folder ${asked.dataDir}: addresses and programs were judged by the variables of this command. Set DATA_DIR to the folder of your broker to check by its rules.`,
        );
      }
      if (values.json === true) cli.stdout(JSON.stringify({ manifests: results }));
      else for (const result of results) printChecked(result.file, result, cli.stdout);
      if (results.some(({ ok }) => !ok)) throw new ReportedError();
    },
  },
  {
    name: 'manifest deploy',
    summary: 'makes a manifest live at once, waits until its server was asked, and prints what it offers',
    usage: 'manifest deploy FILE|ID|--all [--version V] [--reason R] [--json]',
    options: { ...json, version: { type: 'string' }, all: { type: 'boolean' }, reason: { type: 'string' } },
    argument: 'FILE',
    help: [
      ['FILE', 'a manifest: a path that ends in .json or contains a /, or - for standard input'],
      ['ID', 'a server that the catalog knows: its staged version, or the one that was live last'],
      ['--all', 'everything that an administrator staged, each by itself; bundled drafts are deployed by name only'],
      ['--version V', 'with ID: another known version of it'],
      ['--reason R', 'for the audit log'],
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
    options: { ...json, version: { type: 'string' } },
    argument: 'FILE',
    help: [
      ['FILE', 'a manifest: a path that ends in .json or contains a /, or - for standard input'],
      ['ID', 'a server that the catalog knows: its staged version, else the deployed one'],
      ['--version V', 'with ID: another known version of it'],
      jsonHelp,
      ['', 'the broker runs the test: nothing of what is deployed is touched; exits with 1 when a step fails'],
    ],
    run: async (values, cli) => (await import('./test-manifest.ts')).testManifest(values, cli),
  },
  {
    name: 'manifest import',
    summary: "turns a client's configuration or a registry's server.json into manifests, without secrets",
    usage: 'manifest import FILE|- [--to DIR] [--json]',
    options: { ...json, to: { type: 'string' } },
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
  {
    name: 'manifest undeploy',
    summary: "takes servers out of the shop and of everyone's links; running calls finish, the history is kept",
    usage: 'manifest undeploy ID… [--reason R] [--json]',
    options: { ...json, reason: { type: 'string' } },
    argument: 'ID',
    takesMany: true,
    help: [['ID', 'a deployed server'], ['--reason R', 'for the audit log'], jsonHelp],
    async run(values, { environment, stdout, stderr }, ids) {
      if (ids.length === 0) throw new UsageError('ID is required. See: npm run souk -- manifest undeploy --help');
      const reason = values.reason === undefined ? {} : { reason: values.reason };
      for (const id of ids) {
        const answer = undeployedSchema.parse(
          await askBrokerOrRun({ environment, stderr }, 'manifest.undeploy', { id, ...reason }),
        );
        if (values.json === true) stdout(JSON.stringify(answer));
        else printUndeployed(answer, stdout);
      }
    },
  },
  ...manifestVersionCommands,
  {
    name: 'manifest diff',
    summary: 'shows in what two versions differ, what deploying does to whom, and the tools under review',
    usage: 'manifest diff ID [--from-version A] [--to-version B] [--from E [--provider P]] [--json]',
    options: {
      ...json,
      from: { type: 'string' },
      provider: { type: 'string' },
      'from-version': { type: 'string' },
      'to-version': { type: 'string' },
    },
    argument: 'ID',
    help: [
      ['ID', 'a server of the catalog'],
      ['--from-version A', 'a version; by default the deployed one'],
      ['--to-version B', 'the version that it is compared with; by default the staged one'],
      ['--from E', 'for a server that people sign in to: what it offers to the account of this user, beside the shop'],
      ['--provider P', "with --from: the user's sign-in provider, where two users have the address"],
      jsonHelp,
    ],
    async run({ json: asJson, ...values }, cli) {
      const id = required(values, 'ID', 'manifest diff');
      const { from, provider, 'from-version': fromVersion, 'to-version': toVersion } = values;
      const named = {
        ...(fromVersion !== undefined && { from: fromVersion }),
        ...(toVersion !== undefined && { to: toVersion }),
      };
      if (from !== undefined) {
        if (Object.keys(named).length > 0) throw new UsageError('--from is of an account: leave the versions out');
        const args = { id, from, ...(provider !== undefined && { provider }) };
        const offer = offerDiffSchema.parse(await askBrokerOrRun(cli, 'manifest.diff-offer', args));
        if (asJson === true) cli.stdout(JSON.stringify(offer));
        else printOfferDiff(offer, cli.stdout);
        return;
      }
      const answer = diffSchema.parse(await askBrokerOrRun(cli, 'manifest.diff', { id, ...named }));
      if (asJson === true) cli.stdout(JSON.stringify(answer));
      else printDiff(answer, cli.stdout);
    },
  },
  {
    name: 'manifest approve',
    summary: 'approves how tools of a server changed, so that they are shown and can be called again',
    usage: 'manifest approve ID [TOOL…] --shown CODE [--from E [--provider P]] [--reason R] [--json]',
    options: {
      ...json,
      shown: { type: 'string' },
      reason: { type: 'string' },
      from: { type: 'string' },
      provider: { type: 'string' },
    },
    argument: 'ID',
    takesMany: true,
    help: [
      ['ID', 'a deployed server; "manifest diff ID" shows what changed'],
      ['TOOL', 'tools to approve, also those kept hidden; without any, all that are under review'],
      ['--shown CODE', 'printed by "manifest diff": nothing is approved if it has changed since you read it'],
      ['--from E', 'for a server that people sign in to: the shop shows what it offers to the account of this user'],
      ['--provider P', "with --from: the user's sign-in provider, where two users have the address"],
      ['--reason R', 'for the audit log'],
      jsonHelp,
    ],
    async run(values, cli, [id, ...tools]) {
      const { environment, stdout, stderr } = cli;
      if (id === undefined) throw new UsageError('ID is required. See: npm run souk -- manifest approve --help');
      if (typeof values.shown !== 'string') {
        const from = typeof values.from === 'string' ? ` --from ${values.from}` : '';
        throw new UsageError(
          `--shown is required. "npm run souk -- manifest diff ${id}${from}" shows what you approve, and its code`,
        );
      }
      if (values.from !== undefined) return approveOffer(id, tools, values, cli);
      const args = {
        id,
        tools,
        shown: values.shown,
        ...(typeof values.reason === 'string' && { reason: values.reason }),
      };
      const answer = approvedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'manifest.approve', args));
      if (values.json === true) stdout(JSON.stringify(answer));
      else printApproved(answer.approved, stdout);
    },
  },
];

async function approveOffer(
  id: string,
  tools: readonly string[],
  { json: asJson, ...given }: Values,
  { environment, stdout, stderr }: CliOptions,
): Promise<void> {
  if (tools.length > 0) throw new UsageError('--from approves the whole list: leave the tools out');
  const answer = offerApprovedSchema.parse(
    await askBrokerOrRun({ environment, stderr }, 'manifest.approve-offer', { id, ...given }),
  );
  if (asJson === true) stdout(JSON.stringify(answer));
  else printOffer(answer, stdout);
}

async function deploy(values: Values, cli: CliOptions): Promise<void> {
  if (values.all === true) {
    if (values.FILE !== undefined || values.version !== undefined)
      throw new UsageError('--all goes with no FILE, ID or --version');
    return deployAll(values, cli);
  }
  const what = required(values, 'FILE', 'manifest deploy');
  const { version, reason } = values;
  const args: Record<string, unknown> = reason === undefined ? {} : { reason };
  if (isFile(what)) {
    if (version !== undefined) throw new UsageError('--version goes with an ID, not with a file');
    const source = await readSource(what, cli);
    const checked = await check(source, cli);
    if (!checked.ok) {
      if (values.json === true) cli.stdout(JSON.stringify(checked));
      else printChecked(what, checked, cli.stdout);
      throw new ReportedError();
    }
    args['source'] = source.toString('base64');
  } else {
    args['id'] = what;
    if (version !== undefined) args['version'] = version;
  }
  const answer = deployedSchema.parse(await askBrokerOrRun(cli, 'manifest.deploy', args, deployTimeoutMs));
  if (values.json === true) cli.stdout(JSON.stringify(answer));
  else printDeployed(answer, cli.stdout);
  if (answer.failure !== undefined) throw new ReportedError();
}
