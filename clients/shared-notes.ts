import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runService } from '../services/kit/src/testing/run-service.ts';
import { parseObject } from '../apps/broker/src/platform/json.ts';
import { newDataDir } from '../e2e/product.ts';

const program = new URL('../services/notes/src/main.ts', import.meta.url);
const bundled = new URL('../catalogue/deployed/notes.json', import.meta.url);

/**
 * Starts one Notes for all brokers, as an operator deploys a server. Otherwise each broker starts its own demo services, and an
 * account at one Notes is unknown to another.
 * @returns the variables that make a broker use it instead of its own
 */
export async function startSharedNotes(): Promise<{ env: NodeJS.ProcessEnv; close(): Promise<void> }> {
  const folder = await newDataDir();
  const service = await runService(program, { DATA_DIR: join(folder, 'notes') });
  const catalogue = join(folder, 'catalogue');
  await mkdir(catalogue);
  const manifest = {
    ...parseObject(await readFile(bundled, 'utf8')),
    version: '9.0.0',
    connection: { type: 'http', url: `${service.url}/mcp` },
  };
  await writeFile(join(catalogue, 'notes.json'), JSON.stringify(manifest));
  return {
    env: { CATALOGUE_DIR: catalogue, UPSTREAM_ALLOW_ADDRESSES: new URL(service.url).host },
    async close() {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
