import type { ConnectionTestEvent } from '@souk/contract/admin/servers.ts';
import { testedSchema } from '#operator/commands/manifests/test-manifest.ts';
import { askBroker, required, ReportedError, UsageError, type CliOptions, type Values } from '../command.ts';
import { isFile, readSource } from './manifest-source.ts';

/** Longer than the 90 s that a test may take. */
const timeoutMs = 120_000;
const marks = { passed: 'ok', failed: 'FAILED', skipped: '-', 'not-reached': 'not reached' } as const;

/** `souk manifest test`: what a deployment would run into. */
export async function testManifest(values: Values, cli: CliOptions): Promise<void> {
  const what = required(values, 'FILE', 'manifest test');
  const args = await argsOf(what, values['version'], cli);
  const { events } = await askBroker(cli, testedSchema, 'manifest.test', args, timeoutMs);
  if (values['json'] === true) cli.stdout(JSON.stringify({ events }));
  else for (const event of events) for (const line of linesOf(event)) cli.stdout(line);
  if (!events.some((event) => event.type === 'end' && event.result !== 'failed' && event.result !== 'cancelled'))
    throw new ReportedError();
}

async function argsOf(what: string, version: Values[string], cli: CliOptions): Promise<object> {
  if (!isFile(what)) return { id: what, ...(version !== undefined && { version }) };
  if (version !== undefined) throw new UsageError('--version goes with an ID, not with a file');
  return { source: (await readSource(what, cli)).toString('base64') };
}

function linesOf(event: ConnectionTestEvent): string[] {
  switch (event.type) {
    case 'started':
    case 'working':
      return [];
    case 'step':
      if (event.result === 'not-reached') return [`${event.step.padEnd(10)} ${marks[event.result]}`];
      return [`${event.step.padEnd(10)} ${marks[event.result].padEnd(6)} ${event.text} (${event.ms} ms)`];
    case 'tools': {
      const { compared } = event;
      if (!compared) return [];
      const changes = (['added', 'removed', 'changed'] as const).filter((kind) => compared[kind].length > 0);
      return changes.map((kind) => `  tools ${kind}: ${compared[kind].join(', ')}`);
    }
    case 'findings':
      return event.findings.map(
        ({ weight, about, text }) => `  ${weight === 'bad' ? '!' : ' '} ${about === null ? '' : `${about}: `}${text}`,
      );
    case 'lines':
      return event.lines.length === 0 ? [] : ['It wrote to stderr:', ...event.lines.map((line) => `  ${line}`)];
    case 'end':
      return [`${event.result === 'needs_account' ? 'works' : event.result}: ${event.text} (${event.ms} ms)`];
  }
}
