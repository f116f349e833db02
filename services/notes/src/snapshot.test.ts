import { readFileSync } from 'node:fs';
import { connectHttp } from '@souk/service-kit/testing/connect.ts';
import { runService, temporaryFolder, type StartedService } from '@souk/service-kit/testing/run-service.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from './testing/sign-in.ts';

const folder = temporaryFolder();
let service: StartedService;
beforeAll(async () => {
  service = await runService(new URL('./main.ts', import.meta.url), { DATA_DIR: folder.path });
});
afterAll(async () => {
  await service.stop();
  folder[Symbol.dispose]();
});

test('the snapshot in the manifest of notes is identical to the capabilities of notes after a sign-in', async () => {
  const { tokens } = await signIn(service.url, 'snapshot');
  const client = await connectHttp(`${service.url}/mcp`, 'modern', { authorization: `Bearer ${tokens.access_token}` });
  const offered = {
    tools: (await client.listTools()).tools,
    prompts: (await client.listPrompts()).prompts,
    resources: (await client.listResources()).resources,
  };
  await client.close();
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../../catalogue/deployed/notes.json', import.meta.url), 'utf8'),
  );
  expect(manifest).toMatchObject({ capabilitySnapshot: JSON.parse(JSON.stringify(offered)) });
});
