import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { listenLocally } from './listen-locally.ts';

/** A package registry on this machine. It has one package, `@souk-test/small` 1.0.0: small-stdio.ts as a command. */
export type PackageRegistry = {
  url: string;
  /** Returns how often the package was downloaded. */
  downloads(): number;
  /** Replaces the contents of the package, with a matching hash. */
  replacePackage(): void;
  /** Makes the package depend on these packages. */
  dependOn(dependencies: Record<string, string>): void;
  /** Answers every request with this status; undefined: with the package. */
  fail(status: number | undefined): void;
  /** Makes requests wait from now on. Resolves when there is one, with a function that releases them. */
  hold(): Promise<() => void>;
  close(): Promise<void>;
};

/** @param folder where the package is built; its install script would write a file `ran` there */
export async function startPackageRegistry(folder: string): Promise<PackageRegistry> {
  let tarball = pack(folder, 'first');
  let downloads = 0;
  let dependencies: Record<string, string> = {};
  let status: number | undefined;
  let held: { asked: PromiseWithResolvers<() => void>; released: PromiseWithResolvers<void> } | undefined;
  const server = createServer(async (request, response) => {
    held?.asked.resolve(held.released.resolve);
    await held?.released.promise;
    if (status !== undefined) return response.writeHead(status).end('{"error":"the registry is closed"}');
    if (request.url?.endsWith('.tgz')) {
      downloads++;
      return response.end(tarball);
    }
    const name = '@souk-test/small';
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: `http://${request.headers.host}/small-1.0.0.tgz`, integrity };
    const bin = { small: 'main.mjs' };
    const version = { name, version: '1.0.0', bin, dist, dependencies, hasInstallScript: true };
    const versions = { '1.0.0': version };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    downloads: () => downloads,
    replacePackage: () => (tarball = pack(folder, 'second')),
    dependOn: (next) => (dependencies = next),
    fail: (next) => (status = next),
    hold() {
      held = { asked: Promise.withResolvers(), released: Promise.withResolvers() };
      void held.released.promise.then(() => (held = undefined));
      return held.asked.promise;
    },
    close,
  };
}

function pack(folder: string, note: string): Buffer {
  const inside = join(folder, 'package');
  mkdirSync(inside, { recursive: true });
  const scripts = { postinstall: `touch ${join(folder, 'ran')}` };
  const manifest = { name: '@souk-test/small', version: '1.0.0', bin: { small: 'main.mjs' }, scripts };
  writeFileSync(join(inside, 'package.json'), JSON.stringify(manifest));
  const program = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'small-stdio.ts'), 'utf8'));
  writeFileSync(join(inside, 'main.mjs'), `${program}\n// ${note}\n`);
  execFileSync('tar', ['czf', join(folder, 'small.tgz'), '-C', folder, 'package']);
  return readFileSync(join(folder, 'small.tgz'));
}
