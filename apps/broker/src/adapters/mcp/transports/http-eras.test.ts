import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { callOptions, failureOf, textOf, trackUpstreams, optionsFor, ways } from '../testing/open-for-test.ts';
import type { UpstreamTarget } from '../target.ts';

const { open, closeAll } = trackUpstreams();
let both: HttpFixture;
let legacyOnly: HttpFixture;
let modernOnly: HttpFixture;

beforeAll(async () => {
  [both, legacyOnly, modernOnly] = await Promise.all([
    startHttpFixture('both'),
    startHttpFixture('legacy'),
    startHttpFixture('modern'),
  ]);
});
afterEach(closeAll);
afterAll(() => Promise.all([both.close(), legacyOnly.close(), modernOnly.close()]));

const target = (fixture: HttpFixture, headers: Record<string, string> = {}): UpstreamTarget => ({
  type: 'http',
  url: fixture.url,
  headers,
  allowAddresses: [fixture.address],
});
/** Deadlines for calls that must succeed, however slow the machine is. */
const patient = { timeoutMs: 600_000, totalTimeoutMs: 600_000 };
const methods = (fixture: HttpFixture, from: number) => fixture.seen.requests.slice(from).map(({ method }) => method);

describe('the era of an HTTP server', () => {
  test('a server that supports both eras is used in the modern one', async () => {
    const upstream = await open(target(both));
    expect(upstream).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28', instructions: 'be kind' });
    expect(upstream.serverInfo).toMatchObject({ name: 'fixture' });
  });

  test('a server that only knows initialize is probed once and used as legacy', async () => {
    const from = legacyOnly.seen.requests.length;
    const upstream = await open(target(legacyOnly));
    expect(upstream).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25' });
    expect(methods(legacyOnly, from).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  test('a server known to be legacy is not probed', async () => {
    const from = legacyOnly.seen.requests.length;
    await open(target(legacyOnly), { era: 'legacy' });
    expect(methods(legacyOnly, from)[0]).toBe('initialize');
  });

  test('a server wrongly stored as legacy is probed again', async () => {
    expect(await open(target(modernOnly), { era: 'legacy' })).toMatchObject({ era: 'modern' });
  });

  test('a server wrongly stored as modern is probed again', async () => {
    expect(await open(target(legacyOnly), { era: 'modern' })).toMatchObject({ era: 'legacy' });
  });
});

const cases = (['legacy', 'modern'] as const).flatMap((era) => ways.map((way) => ({ era, way })));
describe.each(cases)('an HTTP server of the $era era, called by $way', ({ era, way }) => {
  const callOptions = optionsFor(way);
  const fixture = () => (era === 'legacy' ? legacyOnly : modernOnly);

  test('lists, calls, prompts, resources, completion and ping work', async () => {
    const upstream = await open(target(fixture()));
    expect((await upstream.listTools()).map((tool) => tool.name)).toContain('echo');
    expect(await upstream.listPrompts()).toMatchObject([{ name: 'hello' }]);
    expect(await upstream.listResources()).toMatchObject([{ uri: 'test://a' }]);
    expect(await upstream.listResourceTemplates()).toMatchObject([{ uriTemplate: 'test://{name}' }]);
    expect(textOf(await upstream.callTool({ name: 'echo', arguments: { text: 'hi' } }, callOptions()))).toBe('hi');
    expect(await upstream.getPrompt({ name: 'hello' }, callOptions())).toHaveProperty('messages');
    expect(await upstream.readResource({ uri: 'test://b' }, callOptions())).toHaveProperty('contents');
    const ref = { type: 'ref/prompt' as const, name: 'hello' };
    const completion = await upstream.complete({ ref, argument: { name: 'a', value: '' } }, callOptions());
    expect(completion.completion.values).toEqual(['one', 'two']);
    await upstream.ping(600_000);
  });

  test('only the headers of the target are sent, and no other authorization', async () => {
    const from = fixture().seen.requests.length;
    const upstream = await open(target(fixture(), { authorization: 'Bearer its-own', 'x-souk-subject': 'abc' }));
    await upstream.callTool({ name: 'echo' }, callOptions());
    for (const { headers } of fixture().seen.requests.slice(from)) {
      expect(headers).toMatchObject({ authorization: 'Bearer its-own', 'x-souk-subject': 'abc' });
      expect(headers).not.toHaveProperty('cookie');
    }
  });

  test('progress is forwarded and restarts the silence limit', async () => {
    const upstream = await open(target(fixture()));
    /** In total this takes longer than the silence limit. */
    const callSlowly = async (scale: number) => {
      const seen: number[] = [];
      const result = await upstream.callTool(
        { name: 'slow', arguments: { steps: 6, everyMs: 400 * scale } },
        callOptions({ ...patient, timeoutMs: 2000 * scale, onProgress: ({ progress }) => seen.push(progress) }),
      );
      expect(textOf(result)).toBe('done');
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    };
    // a busy machine may be silent for longer than the first limit
    await callSlowly(1).catch(() => callSlowly(10));
  });

  test('progress does not extend the total deadline', async () => {
    const upstream = await open(target(fixture()));
    const call = upstream.callTool(
      { name: 'slow', arguments: { steps: 100, everyMs: 50 } },
      callOptions({ ...patient, totalTimeoutMs: 600, onProgress: () => {} }),
    );
    expect((await failureOf(call)).kind).toBe('timeout');
  });

  test('a canceled call is canceled at the upstream', async () => {
    const upstream = await open(target(fixture()));
    const controller = new AbortController();
    const from = fixture().seen.requests.length;
    const call = failureOf(upstream.callTool({ name: 'hang' }, callOptions({ signal: controller.signal })));
    await waitUntil('the call has arrived', () => methods(fixture(), from).includes('tools/call'));
    const before = fixture().seen.cancelled.length;
    controller.abort();
    expect((await call).kind).toBe('cancelled');
    await waitUntil('the upstream knows', () => fixture().seen.cancelled.length > before);
    expect(methods(fixture(), from).includes('notifications/cancelled')).toBe(era === 'legacy');
  });

  test('a call that stays silent too long times out and is canceled at the upstream', async () => {
    const upstream = await open(target(fixture()));
    const before = fixture().seen.cancelled.length;
    const from = fixture().seen.requests.length;
    // a busy machine may not have sent the call within the first limit
    for (let timeoutMs = 200; !methods(fixture(), from).includes('tools/call'); timeoutMs *= 10) {
      const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions({ timeoutMs })));
      expect(failure.kind).toBe('timeout');
    }
    await waitUntil('the upstream knows', () => fixture().seen.cancelled.length > before);
  });

  test('a JSON-RPC error keeps its code, data and message', async () => {
    const upstream = await open(target(fixture()));
    expect(await failureOf(upstream.callTool({ name: 'refuse' }, callOptions()))).toMatchObject({
      kind: 'protocol',
      code: -32_050,
      message: 'not today',
      data: { why: 42 },
    });
  });

  test('a result is never validated against the output schema of the upstream', async () => {
    const upstream = await open(target(fixture()));
    const tools = await upstream.listTools();
    const toolDefinition = tools.find((tool) => tool.name === 'mismatch');
    const options = toolDefinition ? { ...callOptions(), toolDefinition } : callOptions();
    const answer = await upstream.callTool({ name: 'mismatch' }, options);
    // the schema would refuse it
    expect(answer.kind === 'complete' && answer.toResult()).toHaveProperty('structuredContent');
  });

  test('a changed list is reported', async () => {
    let changes = 0;
    const from = fixture().seen.requests.length;
    const upstream = await open(target(fixture()), { onToolListChanged: () => changes++ });
    if (era === 'modern') {
      await waitUntil('it listens', () => methods(fixture(), from).includes('subscriptions/listen'));
    }
    await waitUntil('the change is received', async () => {
      fixture().announceToolsChanged();
      await upstream.ping(600_000);
      return changes > 0;
    });
    expect(changes).toBeGreaterThan(0);
  });

  test('after close no socket stays open and calls are refused', async () => {
    let isTold = false;
    const upstream = await open(target(fixture()), { onClosed: () => (isTold = true) });
    const pending = failureOf(upstream.callTool({ name: 'hang' }, callOptions()));
    await upstream.close();
    expect((await pending).kind).toBe('closed');
    expect((await failureOf(upstream.listTools())).kind).toBe('closed');
    expect(isTold).toBe(false);
    await upstream.close();
  });
});

test('closing ends the legacy session at the server', async () => {
  await waitUntil('the sessions of other tests have ended', () => legacyOnly.sessions === 0);
  const before = legacyOnly.sessions;
  const upstream = await open(target(legacyOnly));
  expect(legacyOnly.sessions).toBe(before + 1);
  await upstream.close();
  await waitUntil('the session has ended', () => legacyOnly.sessions === before);
});

test('a session that a restarted server does not know is session_lost', async () => {
  const upstream = await open(target(legacyOnly));
  legacyOnly.forgetSessions();
  expect((await failureOf(upstream.callTool({ name: 'echo' }, callOptions()))).kind).toBe('session_lost');
});

test('the capabilities of the calling client reach a modern upstream per request', async () => {
  const upstream = await open(target(modernOnly));
  const clientCapabilities = { elicitation: { form: {} } };
  const result = await upstream.callTool({ name: 'capabilities' }, callOptions({ clientCapabilities }));
  expect(JSON.parse(textOf(result))).toEqual(clientCapabilities);
  expect(JSON.parse(textOf(await upstream.callTool({ name: 'capabilities' }, callOptions())))).toEqual({});
});

test('a question of a modern upstream is returned unchanged, and its answer completes the call', async () => {
  const upstream = await open(target(modernOnly));
  const toolDefinition = (await upstream.listTools()).find((tool) => tool.name === 'ask');
  const options = {
    ...callOptions({ clientCapabilities: { elicitation: { form: {} } } }),
    ...(toolDefinition && { toolDefinition }),
  };
  const asked = await upstream.callTool({ name: 'ask' }, options);
  expect(asked).toMatchObject({ kind: 'input_required', questions: { inputRequests: { name: {} } } });
  const inputResponses = { name: { action: 'accept' as const, content: { name: 'Ada' } } };
  const done = await upstream.callTool({ name: 'ask', inputResponses }, options);
  expect(textOf(done)).toBe('thank you');
});

test('arguments marked x-mcp-header are mirrored to a modern upstream', async () => {
  const upstream = await open(target(modernOnly));
  const toolDefinition = (await upstream.listTools()).find((tool) => tool.name === 'region');
  const options = toolDefinition ? { ...callOptions(), toolDefinition } : callOptions();
  await upstream.callTool({ name: 'region', arguments: { region: 'eu-1' } }, options);
  expect(modernOnly.seen.requests.at(-1)?.headers).toMatchObject({ 'mcp-param-region': 'eu-1', 'mcp-name': 'region' });
});

test('the _meta of a result does not contain the name of the upstream', async () => {
  const upstream = await open(target(modernOnly));
  const result = await upstream.callTool({ name: 'echo', arguments: { text: 'x' } }, callOptions());
  expect(textOf(result)).toBe('x');
  expect(JSON.stringify(result)).not.toContain('fixture');
});
