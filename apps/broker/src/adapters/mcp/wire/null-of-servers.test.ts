import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listVariants, nullVariants } from '#testing/figures/null-variants.ts';
import { sampled } from '#testing/figures/sample.ts';
import { startNullServer, type NullServer, type Script } from '../testing/null-server.ts';
import { optionsFor, trackUpstreams, ways, type Way } from '../testing/open-for-test.ts';
import type { Ask, Era, Upstream } from '../upstream.ts';

// Many servers write null for an absent member. For each server message, each member that may be absent (by the SDK's
// own schemas) is sent as null: the message must mean the same as without that member.

// why the cast: the SDK's type shows the standard interface only
const spec = specTypeSchemas as unknown as Record<keyof typeof specTypeSchemas, z.core.$ZodType>;
const { open, closeAll } = trackUpstreams();
const servers = new Map<Era, NullServer>();
beforeAll(async () => {
  for (const era of ['modern', 'legacy'] as const) servers.set(era, await startNullServer(era));
});
afterEach(closeAll);
afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

const everyCapability = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Returns what a server with this script is understood to have said. */
async function readScript(era: Era, script: Script, way: Way): Promise<unknown> {
  const url = servers.get(era)?.url(script) ?? '';
  const upstream = await open(
    { type: 'http', url, headers: {}, allowAddresses: [new URL(url).host] },
    { era, ofOnePerson: true, clientCapabilities: everyCapability },
  );
  const heard: unknown[] = [];
  const answer = await does(script.method ?? 'tools/call', upstream, way, heard);
  return { answer, heard, left: upstream.leftOut() };
}

async function does(method: string, upstream: Upstream, way: Way, heard: unknown[]): Promise<unknown> {
  const options = optionsFor(way)({
    clientCapabilities: everyCapability,
    onProgress: (progress) => heard.push(progress),
    onLog: (log) => heard.push(log),
    async onAsk(ask: Ask) {
      heard.push(ask);
      return { action: 'decline', roots: [], model: 'm', role: 'assistant', content: { type: 'text', text: 'a' } };
    },
  });
  switch (method) {
    case 'initialize':
    case 'server/discover':
      return [upstream.era, upstream.serverInfo, upstream.capabilities, upstream.instructions];
    case 'tools/list':
      return upstream.listTools();
    case 'prompts/list':
      return upstream.listPrompts();
    case 'resources/list':
      return upstream.listResources();
    case 'resources/templates/list':
      return upstream.listResourceTemplates();
    case 'prompts/get':
      return upstream.getPrompt({ name: 'a' }, options);
    case 'resources/read':
      return upstream.readResource({ uri: 'a:b' }, options);
    case 'completion/complete':
      return upstream.complete({ ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: '' } }, options);
    default: {
      const called = await upstream.callTool({ name: 'a' }, options);
      return 'toResult' in called ? called.toResult() : called;
    }
  }
}

/** Results of both eras, by the method that they answer. */
const results: [method: string, schema: z.core.$ZodType, eras: readonly Era[]][] = [
  ['initialize', spec.InitializeResult, ['legacy']],
  ['server/discover', spec.DiscoverResult, ['modern']],
  ['tools/list', spec.ListToolsResult, ['legacy', 'modern']],
  ['prompts/list', spec.ListPromptsResult, ['legacy', 'modern']],
  ['resources/list', spec.ListResourcesResult, ['legacy', 'modern']],
  ['resources/templates/list', spec.ListResourceTemplatesResult, ['legacy', 'modern']],
  ['tools/call', spec.CallToolResult, ['legacy', 'modern']],
  ['prompts/get', spec.GetPromptResult, ['legacy', 'modern']],
  ['resources/read', spec.ReadResourceResult, ['legacy', 'modern']],
  ['completion/complete', spec.CompleteResult, ['legacy', 'modern']],
];

/** Adds what the schema does not require and a message needs. */
function completed(method: string, result: unknown): unknown {
  const whole = Object(result);
  const tools = whole.tools?.map((tool: { outputSchema?: object | null }) => ({
    ...tool,
    ...(tool.outputSchema && { outputSchema: { ...tool.outputSchema, type: 'object' } }),
  }));
  return {
    ...whole,
    ...(method === 'initialize' && { protocolVersion: '2025-11-25' }),
    ...(method === 'server/discover' && { supportedVersions: ['2026-07-28'] }),
    // since 2026-07-28 a result has content
    ...(method === 'tools/call' && { content: whole.content ?? [] }),
    ...(tools && { tools }),
  };
}

const script = (method: string, result: unknown) => ({ method, result: completed(method, result) });

/** A result as a server wrote it, and a result that means the same. */
type Row = { what: string; method: string; era: Era; way: Way; path: string; written: unknown; meant: unknown };

/** Returns a row for each variant of each result, in each era, and sent each way. */
function rowsOf(what: string, variantsOf: (schema: z.core.$ZodType) => Written[], atLeast: number): Row[] {
  return results.flatMap(([method, schema, eras]) => {
    const variants = variantsOf(schema);
    if (variants.length < atLeast) throw new Error(`${method} has ${variants.length} variants only`);
    const over = method === 'tools/call' ? ways : (['fast'] as const);
    return eras.flatMap((era) =>
      over.flatMap((way) => variants.map((variant) => ({ what, method, era, way, ...variant }))),
    );
  });
}

type Written = Pick<Row, 'path' | 'written' | 'meant'>;
const withNulls = (schema: z.core.$ZodType): Written[] =>
  nullVariants(schema).map(({ path, withNull, without }) => ({ path, written: withNull, meant: without }));
const withLists = (schema: z.core.$ZodType): Written[] =>
  listVariants(schema).map(({ path, withList, withObject }) => ({ path, written: withList, meant: withObject }));

test.each(sampled([...rowsOf('null means absent', withNulls, 9), ...rowsOf('[] means {}', withLists, 1)]))(
  '[tables] $what in the result of $method: $path, $era, $way',
  async ({ method, era, way, written, meant }) => {
    const plain = await readScript(era, script(method, meant), way);
    expect(await readScript(era, script(method, written), way)).toEqual(plain);
    // the comparison is not between two refusals
    expect(plain).toMatchObject({ left: [] });
  },
);

test.each(['legacy', 'modern'] as const)('PHP writes an empty object as an empty list: %s', async (era) => {
  const read = (method: string, result: object) => readScript(era, { method, result }, 'fast');
  // clients up to 2025-11-25 refuse a whole list because of this, at any depth of a schema
  const schemaOf = (nothing: object) => ({
    type: 'object',
    properties: { a: { type: 'object', properties: nothing, items: { type: 'object', $defs: nothing } } },
    required: [],
  });
  const listed = (nothing: object) => {
    const schemas = { inputSchema: schemaOf(nothing), outputSchema: schemaOf(nothing) };
    return { tools: [{ name: 'a', ...schemas, annotations: nothing, _meta: nothing }] };
  };
  const meant = await read('tools/list', listed({}));
  expect(meant).toMatchObject({ answer: [{ name: 'a', inputSchema: { required: [] } }], left: [] });
  expect(await read('tools/list', listed([]))).toEqual(meant);
  // a value that may be a list stays a list
  const called = { content: [], structuredContent: { list: [] }, _meta: [] };
  expect(await read('tools/call', called)).toMatchObject({ answer: { structuredContent: { list: [] } } });
  for (const way of ways) {
    const empty = await readScript(era, { method: 'tools/call', result: { ...called, structuredContent: [] } }, way);
    expect(empty, way).toMatchObject({ answer: { structuredContent: era === 'legacy' ? {} : [] } });
  }
});

test.each(ways)('an empty list is an empty object if the tool promises an object: %s', async (way) => {
  const url =
    servers.get('modern')?.url({ method: 'tools/call', result: { content: [], structuredContent: [] } }) ?? '';
  const upstream = await open(
    { type: 'http', url, headers: {}, allowAddresses: [new URL(url).host] },
    { era: 'modern' },
  );
  const called = async (...resultTypes: string[]) => {
    const answer = await upstream.callTool({ name: 'a' }, optionsFor(way)({ resultTypes }));
    return 'toResult' in answer ? answer.toResult().structuredContent : answer;
  };
  expect(await called('object')).toEqual({});
  expect(await called('object', 'array')).toEqual([]);
  await expect(called('string')).rejects.toMatchObject({ kind: 'bad_result' });
});

const odd = { audience: ['everybody'], priority: 7, lastModified: 'yesterday' };
test.each([
  ['tools/call', { content: [{ type: 'text', text: 'a', annotations: odd }] }, ways],
  ['prompts/get', { messages: [{ role: 'user', content: { type: 'text', text: 'a', annotations: odd } }] }, ways],
  ['resources/list', { resources: [{ uri: 'a:b', name: 'a', annotations: odd }] }, ['fast']],
  [
    'resources/templates/list',
    { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'a', annotations: odd }] },
    ['fast'],
  ],
] as const)('an invalid date is dropped, and the answer that contains it is kept: %s', async (method, result, over) => {
  for (const era of ['legacy', 'modern'] as const) {
    for (const way of over) {
      const read = JSON.stringify(await readScript(era, { method, result }, way));
      expect(read).toContain('"annotations":{}');
      expect(read).toContain('"left":[]');
      // a valid date in the same answer stays
      const good = JSON.parse(JSON.stringify(result).replace('"yesterday"', '"2026-01-01T00:00:00Z"'));
      const kept = '"annotations":{"lastModified":"2026-01-01T00:00:00Z"}';
      expect(JSON.stringify(await readScript(era, { method, result: good }, way))).toContain(kept);
    }
  }
});

const questions = nullVariants(spec.ServerRequest).filter(({ withNull }) =>
  ['elicitation/create', 'sampling/createMessage', 'roots/list'].includes(Object(withNull).method),
);
test('the table of questions is complete', () => {
  expect(questions.length).toBeGreaterThan(50);
});

const asked = (['legacy', 'modern'] as const).flatMap((era) =>
  ways.flatMap((way) => questions.map((question) => ({ era, way, ...question }))),
);
test.each(sampled(asked))(
  '[tables] null in a question means absent: $path, $era, $way',
  async ({ era, way, withNull, without }) => {
    const asking = (question: unknown) => ({
      method: 'tools/call',
      result: { resultType: 'input_required', inputRequests: { data: question }, requestState: null },
    });
    const read = (question: unknown) =>
      readScript(era, era === 'legacy' ? { question: Object(question) } : asking(question), way);
    const plain = await read(without);
    expect(plain).toMatchObject(era === 'modern' ? { answer: { kind: 'input_required' } } : {});
    expect(await read(withNull)).toEqual(plain);
  },
);

describe.each(ways)('during a call, %s', (way) => {
  const notices = nullVariants(spec.ServerNotification).filter(({ withNull }) =>
    ['notifications/progress', 'notifications/message'].includes(Object(withNull).method),
  );
  test.each(['legacy', 'modern'] as const)('null in a notice means absent: %s', async (era) => {
    expect(notices.length).toBeGreaterThan(4);
    for (const { path, withNull, without } of notices) {
      const plain = await readScript(era, { notice: withToken(without) }, way);
      expect(plain, path).toMatchObject({ heard: [expect.anything()] });
      expect(await readScript(era, { notice: withToken(withNull) }, way), path).toEqual(plain);
    }
  });

  test.each(['legacy', 'modern'] as const)('null around a message means absent: %s', async (era) => {
    const plain = await readScript(era, {}, way);
    const around = { error: null, result: null, method: null, params: null };
    expect(await readScript(era, { envelope: around }, way)).toEqual(plain);
    // any type is allowed here, but no schema allows null
    const called = (result: object) => ({ method: 'tools/call', result: { content: [], ...result } });
    const withNull = await readScript(era, called({ structuredContent: null }), way);
    expect(withNull).toEqual(await readScript(era, called({}), way));
    const notice = withToken({ method: 'notifications/progress', params: { progressToken: 'TOKEN', progress: 1 } });
    const told = await readScript(era, { notice }, way);
    expect(told).toMatchObject({ heard: [{ progress: 1 }] });
    expect(await readScript(era, { notice, envelope: { id: null, error: null, result: null } }, way)).toMatchObject({
      heard: [{ progress: 1 }],
    });
  });
});

function withToken(notice: unknown): object {
  const { method, params } = Object(notice);
  return { method, params: { ...params, ...(method === 'notifications/progress' && { progressToken: 'TOKEN' }) } };
}
