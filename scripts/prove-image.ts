// npm run prove-image: executes deploy/Dockerfile without Docker, in roots made of Debian's packages, and starts the result like
// a container: as another user, on a read-only root, up to a client's call. Needs root, mmdebstrap, bwrap and the npm registry.
// Takes some minutes.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import { connectModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { startCountingServer } from '../e2e/brokers/counting-server.ts';
import { buildRoot, sizesOf, type BuiltRoot } from './image/build-root.ts';
import { parseDockerfile } from './image/parse-dockerfile.ts';

const root = join(import.meta.dirname, '..');
const host = 'souk.example';
const work = mkdtempSync(join(tmpdir(), 'souk-image-'));
const started: ChildProcess[] = [];

try {
  const image = buildImage();
  const { all, parts } = sizesOf(image.folder);
  console.log(
    `\nThe root has ${all.toFixed(0)} MB: ${parts.map(([name, size]) => `${name} ${size.toFixed(0)}`).join(', ')}`,
  );
  await useImage(image);
} finally {
  for (const child of started) child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
process.exit(0);

function buildImage(): BuiltRoot {
  const bases = makeBases();
  const built = new Map<string, BuiltRoot>();
  const stages = parseDockerfile(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
  let last: BuiltRoot | undefined;
  for (const [index, stage] of stages.entries()) {
    console.log(`${stage.name ?? 'the image'} (from ${stage.base})`);
    last = buildRoot(stage, join(work, `stage-${index}`), bases, built);
    if (stage.name !== undefined) built.set(stage.name, last);
  }
  if (!last) throw new Error('deploy/Dockerfile has no stage');
  return last;
}

/** Creates replacements for base images: Debian by mmdebstrap, and the same with this Node and its npm. */
function makeBases(): (image: string) => string {
  const debian = process.env['SOUK_DEBIAN_ROOT'] ?? join(work, 'debian');
  if (!existsSync(debian)) {
    console.log('Debian (mmdebstrap)');
    const excludes = ['man', 'doc', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    execFileSync('mmdebstrap', ['--variant=essential', '--include=passwd,apt', ...excludes, 'bookworm', debian], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const node = join(work, 'node');
  execFileSync('cp', ['--archive', debian, node]);
  const local = join(node, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm']).toString().trim())));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm')]);
  return (image) => {
    if (image.startsWith('node:')) return node;
    if (image.startsWith('debian:')) return debian;
    throw new Error(`there is no folder for the image ${image}`);
  };
}

/** Returns the command that starts a program in the image: read-only, as its user, with a volume for its data. */
function inImage(
  { folder, workdir, env, user }: BuiltRoot,
  volumes: string[],
  variables: Record<string, string>,
): string[] {
  const [uid = '', gid = ''] = (user ?? '').split(':');
  if (uid === '' || uid === '0') throw new Error('the image runs as root');
  const asUser = `setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs`;
  const readOnly = 'bwrap --dev /dev --proc /proc --tmpfs /tmp --die-with-parent --cap-drop ALL --clearenv';
  const apart = '--unshare-user --unshare-pid --unshare-ipc --unshare-uts';
  return [
    ...`${asUser} ${readOnly} ${apart} --chdir ${workdir}`.split(' '),
    '--ro-bind',
    folder,
    '/',
    ...volumes,
    ...Object.entries({ ...env, ...variables }).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

async function useImage(image: BuiltRoot): Promise<void> {
  const upstream = await startCountingServer();
  const volumes = makeVolumes(image, upstream.url);
  const port = await freePort();
  const binaries = findPostgresBinaries();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed');
  const cluster = await startPostgresCluster(binaries);
  const variables = {
    PORT: String(port),
    PUBLIC_URL: `https://${host}`,
    DATABASE_URL: cluster.url,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    PAYMENTS: 'off',
    ALLOW_DEV_SIGN_IN: '1',
    I_KNOW_ANYONE_CAN_SIGN_IN: '1',
    TRUST_PROXY: '127.0.0.1',
    CATALOGUE_DIR: '/manifests',
    BUNDLED_CATALOGUE: 'off',
    UPSTREAM_ALLOW_ADDRESSES: upstream.address,
    DRAIN_GRACE_MS: '0',
  };
  const command = inImage(image, volumes, variables);
  const [program = '', ...args] = [...command, ...image.argv];
  const broker = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  started.push(broker);
  const readyAt = `http://127.0.0.1:${port}/readyz`;
  await waitUntil('the broker to be ready', () =>
    fetch(readyAt).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const within = (...words: string[]) => {
    const [first = '', ...others] = [...command, 'node', ...words];
    return execFileSync(first, others, { stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .trim();
  };
  within('deploy/healthcheck.mjs');
  console.log('the health check passes');
  const souk = ['apps/broker/src/operator/souk.ts'];
  const token = within(...souk, 'token', 'create', '--email', 'ann@souk.test', '--name', 'proof');
  const proxy = await startProxy(port);
  await callTool(`http://127.0.0.1:${proxy.port}/mcp`, token);
  const page = await fetch(`http://127.0.0.1:${proxy.port}/`);
  console.log(`the home page answers ${page.status}`);
  const exited = new Promise((resolve) => broker.once('exit', (code, signal) => resolve(code ?? signal)));
  stopInside(broker.pid ?? 0);
  console.log(`after SIGTERM it ended with ${String(await exited)}`);
  await Promise.all([proxy.close(), upstream.close(), cluster.stop()]);
}

/** Creates a folder for data and one with a manifest, and returns the options that mount them. */
function makeVolumes(image: BuiltRoot, url: string): string[] {
  const [uid = 0, gid = 0] = (image.user ?? '').split(':').map(Number);
  const [data, manifests] = [join(work, 'data'), join(work, 'manifests')];
  for (const folder of [data, manifests]) mkdirSync(folder);
  // mount point that a container runtime would create
  mkdirSync(join(image.folder, 'manifests'));
  chownSync(data, uid, gid);
  chownSync(work, uid, gid);
  const manifest = {
    id: 'counting',
    name: 'Counting',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'Counts its calls.',
    category: 'data',
    connection: { type: 'http', url },
    billing: { tier: 'T0' },
  };
  writeFileSync(join(manifests, 'counting.json'), JSON.stringify(manifest));
  return ['--bind', data, '/data', '--ro-bind', manifests, '/manifests'];
}

async function callTool(link: string, token: string): Promise<void> {
  const client = await connectModern(link, token);
  await waitUntil('the broker to know the tool', async () => {
    const { tools } = await client.listTools();
    return tools.some(({ name }) => name === 'counting__free');
  });
  const answer = await client.callTool({ name: 'counting__free', arguments: { n: 1, forMs: 0 } });
  console.log(`a client called a tool and got ${JSON.stringify(answer.content)}`);
  await client.close();
}

/** Replaces a TLS proxy, since the broker only accepts its public host. */
function startProxy(port: number): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const { method, url } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return listenLocally(server);
}

/** Signals the broker, which is the innermost process, because bwrap does not forward signals. */
function stopInside(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (children !== '') stopInside(Number(children.split(' ')[0]));
  else process.kill(pid, 'SIGTERM');
}
