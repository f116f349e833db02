import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { homedir } from 'node:os';
import { readFileSync } from 'node:fs';
import { readPairs, type Stage } from './parse-dockerfile.ts';

const root = join(import.meta.dirname, '../..');

/** Root folder of an image with its configuration. */
export type BuiltRoot = {
  folder: string;
  workdir: string;
  env: Record<string, string>;
  user: string | undefined;
  argv: string[];
};

/**
 * Executes the steps of a stage in a folder, like an image builder: each RUN with the stage's root as its own.
 * @param bases returns the folder of a base image
 * @param built earlier stages
 */
export function buildRoot(
  stage: Stage,
  folder: string,
  bases: (image: string) => string,
  built: ReadonlyMap<string, BuiltRoot>,
): BuiltRoot {
  const earlier = built.get(stage.base);
  execFileSync('cp', ['--archive', earlier?.folder ?? bases(stage.base), folder]);
  const result: BuiltRoot = {
    folder,
    workdir: earlier?.workdir ?? '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...earlier?.env },
    user: earlier?.user,
    argv: [],
  };
  let entry: string[] = [];
  for (const { word, rest } of stage.instructions) {
    console.log(`  ${word} ${rest.slice(0, 100)}`);
    if (word === 'WORKDIR') mkdirSync(join(folder, (result.workdir = rest)), { recursive: true });
    else if (word === 'ENV') Object.assign(result.env, readPairs(rest));
    else if (word === 'USER') result.user = rest;
    else if (word === 'ENTRYPOINT') entry = readList(rest);
    else if (word === 'CMD') result.argv = [...entry, ...readList(rest)];
    else if (word === 'COPY') copy(rest, result, built);
    else if (word === 'RUN') runStep(rest, result);
    else if (!['ARG', 'LABEL', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK'].includes(word))
      throw new Error(`${word} is not implemented`);
  }
  return result;
}

function readList(json: string): string[] {
  const words: unknown = JSON.parse(json);
  if (!Array.isArray(words)) throw new Error(`${json} is not a JSON list`);
  return words.map(String);
}

function copy(rest: string, { folder, workdir }: BuiltRoot, built: ReadonlyMap<string, BuiltRoot>): void {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') ? built.get((words.shift() ?? '').slice('--from='.length)) : undefined;
  const to = words.pop() ?? '';
  const target = to.startsWith('/') ? join(folder, to) : join(folder, workdir, to);
  if (from === undefined) return copyContext(target);
  for (const source of words) {
    const path = join(from.folder, source);
    // copies a folder's content, not the folder itself
    if (statSync(path).isDirectory()) cpSync(path, target, { recursive: true, verbatimSymlinks: true });
    else {
      const file = to.endsWith('/') ? join(target, basename(source)) : target;
      mkdirSync(dirname(file), { recursive: true });
      cpSync(path, file);
    }
  }
}

/** Copies the files of the repository, except those in .dockerignore. */
function copyContext(target: string): void {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of list.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file)) || isIgnored(file, patterns)) continue;
    cpSync(join(root, file), join(target, file), { verbatimSymlinks: true });
  }
}

/** Interprets .dockerignore like Docker: the last pattern that matches a path or one of its folders decides. */
export function isIgnored(file: string, patterns: readonly string[]): boolean {
  const parts = file.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  let ignored = false;
  for (const pattern of patterns) {
    const isKept = pattern.startsWith('!');
    const plain = isKept ? pattern.slice(1) : pattern;
    if (paths.some((path) => matchesGlob(path, plain))) ignored = !isKept;
  }
  return ignored;
}

/** Runs a step as root with network access. A root with npm also gets what this machine's npm needs to reach its registry. */
function runStep(command: string, { folder, workdir, env }: BuiltRoot): void {
  const npmrc = join(homedir(), '.npmrc');
  const hasNpm = existsSync(join(folder, 'usr/local/lib/node_modules/npm'));
  const network = hasNpm ? ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs'].filter((path) => existsSync(path)) : [];
  const variables = { ...env, HOME: '/root', NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] };
  const options = [
    '--bind',
    folder,
    '/',
    ...'--dev /dev --proc /proc --tmpfs /tmp --tmpfs /root --cap-add ALL --clearenv --chdir'.split(' '),
    workdir,
    ...network.flatMap((path) => ['--ro-bind', path, path]),
    ...(hasNpm && existsSync(npmrc) ? ['--ro-bind', npmrc, '/root/.npmrc'] : []),
    ...Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : ['--setenv', name, value])),
  ];
  execFileSync('bwrap', [...options, '/bin/sh', '-c', command], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Returns the size of a root and of its largest folders in MB. */
export function sizesOf(folder: string): { all: number; parts: [string, number][] } {
  const sizeOf = (path: string) =>
    Number(execFileSync('du', ['--summarize', '--apparent-size', '--block-size=1', path]).toString().split('\t')[0]) /
    1e6;
  const parts = readdirSync(folder).map((name): [string, number] => [`/${name}`, sizeOf(join(folder, name))]);
  return { all: sizeOf(folder), parts: parts.sort(([, a], [, b]) => b - a).slice(0, 6) };
}
