import { connectHttp, connectOldHttp, eras, structuredOf } from '@souk/service-kit/testing/connect.ts';
import { runService, takingOver, temporaryFolder, type StartedService } from '@souk/service-kit/testing/run-service.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { signIn } from './testing/sign-in.ts';

const program = new URL('./main.ts', import.meta.url);

describe('notes', () => {
  const folder = temporaryFolder();
  let service: StartedService;
  const headersOf = async (name: string) => {
    const { tokens } = await signIn(service.url, name);
    return { authorization: `Bearer ${tokens.access_token}` };
  };

  beforeAll(async () => {
    service = await runService(program, { DATA_DIR: folder.path });
  });
  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  test.each(eras)('a note can be created, found, changed and deleted over the %s era', async (era) => {
    const client = await connectHttp(`${service.url}/mcp`, era, await headersOf(`life ${era}`));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([
      'create_note',
      'delete_note',
      'export_notes',
      'get_note',
      'list_tags',
      'search_notes',
      'update_note',
    ]);
    expect(tools.every((tool) => tool.outputSchema?.type === 'object' && tool.annotations !== undefined)).toBe(true);

    const create = async (title: string, body: string, tags: string[]) => {
      const result = await client.callTool({ name: 'create_note', arguments: { title, body, tags } });
      return z.object({ id: z.string() }).parse(structuredOf(result)['note']).id;
    };
    const misnamed = { name: 'create_note', arguments: { title: 'Lost', text: 'not a parameter' } };
    const refused = await client.callTool(misnamed);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain('text');
    const bread = await create('Sourdough', 'Feed the starter twice. Bake at 250 degrees on a stone.', [
      'Food',
      'bread',
    ]);
    await create('Oven', 'The stone of the oven is cracked; sourdough sticks to it.', ['home']);
    await create('Façade', 'Paint the café façade.', ['home']);

    const search = async (query: string, tag?: string) => {
      const result = await client.callTool({ name: 'search_notes', arguments: { query, ...(tag && { tag }) } });
      return z.array(z.object({ title: z.string(), snippet: z.string() })).parse(structuredOf(result)['notes']);
    };
    // A word in the title counts more than one in the text.
    expect((await search('sourdough')).map((note) => note.title)).toEqual(['Sourdough', 'Oven']);
    expect((await search('stone bak'))[0]?.snippet).toContain('»stone«');
    expect((await search('cafe facade'))[0]?.title).toBe('Façade');
    expect((await search('stone', 'home')).map((note) => note.title)).toEqual(['Oven']);
    expect(await search('" OR 1 NEAR( *')).toEqual([]);

    const changed = await client.callTool({ name: 'update_note', arguments: { id: bread, body: 'Bake hot.' } });
    expect(changed.structuredContent).toMatchObject({
      note: { title: 'Sourdough', body: 'Bake hot.', tags: ['food', 'bread'] },
    });
    expect((await search('starter')).length).toBe(0);
    const read = await client.callTool({ name: 'get_note', arguments: { id: bread } });
    expect(read.structuredContent).toMatchObject({ note: { body: 'Bake hot.' } });
    const tags = await client.callTool({ name: 'list_tags', arguments: {} });
    expect(tags.structuredContent).toMatchObject({ tags: [{ tag: 'home', notes: 2 }, {}, {}] });

    const [recent] = (await client.readResource({ uri: 'notes://recent' })).contents;
    expect(JSON.parse(recent && 'text' in recent ? recent.text : '[]')).toHaveLength(3);
    const prompt = await client.getPrompt({ name: 'summarise_notes', arguments: { topic: 'baking' } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('"baking"') });

    const gone = await client.callTool({ name: 'delete_note', arguments: { id: bread } });
    expect(gone.structuredContent).toEqual({ deleted: true });
    expect((await client.callTool({ name: 'get_note', arguments: { id: bread } })).isError).toBe(true);
    await client.close();
  });

  // concurrently, because most of it is waiting
  test.concurrent.each(eras)(
    'an export takes over 5 s with progress, and stops when it is canceled (%s)',
    async (era) => {
      const client = await connectHttp(`${service.url}/mcp`, era, await headersOf(`export ${era}`));
      await client.callTool({ name: 'create_note', arguments: { title: 'One', body: 'two three' } });
      const call = { name: 'export_notes', arguments: {} };
      for (let attempt = 0; attempt < 3; attempt += 1) {
        // Two exports may run concurrently: the third and the last are served only because the earlier ones ended.
        const abort = new AbortController();
        const cancelled = client.callTool(call, { signal: abort.signal, onprogress: () => abort.abort('enough') });
        await expect(cancelled).rejects.toThrow('enough');
      }
      const seen: number[] = [];
      const done = await takingOver(5_000, () =>
        client.callTool(call, { onprogress: ({ progress }) => seen.push(progress) }),
      );
      expect(seen.length).toBeGreaterThanOrEqual(3);
      expect(done.structuredContent).toMatchObject({
        notes: 1,
        words: 2,
        markdown: expect.stringContaining('## One'),
        truncated: false,
      });
      await client.close();
    },
  );

  test("two users do not see each other's notes; the same name is the same user; notes survive a restart", async () => {
    const old = await connectOldHttp(`${service.url}/mcp`, await headersOf('Ana'));
    await old.callTool({ name: 'create_note', arguments: { title: 'Secret', body: 'plan' } });
    await old.close();
    expect(await service.stop()).toBe(0);
    service = await runService(program, { DATA_DIR: folder.path });

    const titlesOf = async (name: string) => {
      const client = await connectHttp(`${service.url}/mcp`, 'modern', await headersOf(name));
      const result = await client.callTool({ name: 'search_notes', arguments: { query: 'secret' } });
      await client.close();
      return result.structuredContent;
    };
    expect(await titlesOf('Ben')).toEqual({ notes: [] });
    expect(await titlesOf(' ANA ')).toMatchObject({ notes: [{ title: 'Secret' }] });
  });
});
