import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch } from '#adapters/mcp/transports/sandbox.ts';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';
import { removeTree } from '../processes/remove-tree.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import type { Progress } from './progress.ts';
import { orAborted } from '#platform/or-aborted.ts';
import type { Running, TestRoute } from './test-parts.ts';

/** Lines of a program that a test reports (contract). */
const maxLines = 200;
const ofSandbox: ReadonlySet<UpstreamErrorKind> = new Set(['no_sandbox', 'no_network']);

/**
 * Runs the steps `alias` and `sandbox`, and returns the target, which runs the step `start` when it is opened. The
 * program gets its own folder, which is deleted after the test, because another process may be writing to the server's.
 * @throws UpstreamError
 */
export async function startProgram(
  { id, command, testId }: { id: string; command: string; testId: string },
  { parts, progress, tell, signal }: Running,
): Promise<TestRoute> {
  const { programs, programWatch, children, clock } = parts;
  const folder = join(parts.dataDir, 'connection-tests', testId);
  const lines: string[] = [];
  progress.begin('alias');
  await orAborted(programs.prepare(id, command), signal);
  const launch = findLaunch(programs, { id, command, folder }, progress);
  progress.pass(sandboxText(programs, command));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  progress.begin('start');
  return {
    target: {
      type: 'stdio',
      ...launch,
      guard: programWatch.guardFor({ key: `test/${testId}`, folders: async () => [folder] }, id),
      onStarted(pid) {
        children.set(testId, { serverId: id, pid, startedAtMs: clock.now() });
        if (progress.current !== 'start') return;
        progress.pass(`process ${pid}`);
        progress.begin('initialize');
      },
    },
    onDiagnostics(written) {
      lines.push(...programs.heard(id, command, 'test', written));
      lines.splice(0, lines.length - maxLines);
    },
    async leave() {
      children.delete(testId);
      tell({ type: 'lines', lines });
      await removeTree(folder);
    },
  };
}

/** Passes the step `alias` and begins the step `sandbox`. @throws UpstreamError of the current step */
function findLaunch(
  programs: StdioPrograms,
  { id, command, folder }: { id: string; command: string; folder: string },
  progress: Progress,
): Launch {
  const pass = () => {
    const npm = programs.describe(command)?.npm;
    progress.pass(npm === undefined ? `${command} is on the allow-list` : `${command}, the package ${npm}`);
    progress.begin('sandbox');
  };
  try {
    const launch = programs.launch({ serverId: id, alias: command }, folder);
    pass();
    return launch;
  } catch (error) {
    if (error instanceof UpstreamError && ofSandbox.has(error.kind)) pass();
    throw error;
  }
}

function sandboxText(programs: StdioPrograms, command: string): string {
  const { network, confined } = programs.describe(command) ?? {};
  if (!confined) return 'None on this machine: the program runs as the user of the broker';
  if (network === 'host') return "bubblewrap, with this machine's own network";
  return network === true ? 'bubblewrap, with public addresses only' : 'bubblewrap, without a network';
}
