// node scripts/run.mjs [--flag=value] <program.ts> [arguments]   runs a TypeScript program of ours, with flags for Node
// node scripts/run.mjs --module <package/file> [arguments] runs a tool from node_modules
// on a Node that runs TypeScript (scripts/node-path.mjs). Signals and the exit code are passed through.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePath } from './node-path.mjs';
import { onceOrphaned } from './once-orphaned.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const argv = process.argv.slice(2);
const flagCount = argv.findIndex((argument) => !/^--[a-z-]+=/.test(argument));
const flags = argv.slice(0, flagCount);
const [first, ...rest] = argv.slice(flagCount);
const [program, args] =
  first === '--module'
    ? [join(root, 'node_modules', rest[0] ?? ''), rest.slice(1)]
    : [resolve(root, first ?? ''), rest];

let node;
try {
  node = nodePath();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const env = {
  ...process.env,
  PATH: [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
};
// Half of these threads resolve names: with the default of four, two unresponsive names would block all lookups.
env.UV_THREADPOOL_SIZE ??= '16';
// Caches compiled code, so that the next start is faster and needs less memory. Node ignores a folder that is not writable.
if (first !== '--module') env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled');
// without `--` Node would also take --env-file from the program's arguments, and exit if there is no such file
const child = spawn(node, [...flags, '--', program, ...args], { stdio: 'inherit', env });
// The child decides how to handle a signal, and we wait for it: the broker completes running calls.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
if (process.env.npm_lifecycle_event !== undefined) onceOrphaned(() => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
