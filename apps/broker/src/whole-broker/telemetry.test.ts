import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '#features/gateway/fast-path/testing/answering-server.ts';
import { recordOf, startCollector, type Collector } from '#platform/telemetry/testing/collector.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

const price = 2;
const email = 'traced@souk.test';
const secret = 'what-the-person-asked';
const answerText = 'what-the-server-said';
const content = [{ type: 'text', text: answerText }];
const answer = (result: object) => ({ body: `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(result)}}` });

const parentId = '00f067aa0ba902b7';
/** Builds a separate trace id for each call. */
const idOf = (digit: string) => digit.repeat(32);
const parentOf = (digit: string, flags = '01') => `00-${idOf(digit)}-${parentId}-${flags}`;

let upstream: AnsweringServer;
beforeAll(async () => {
  upstream = await startAnsweringServer('modern', {
    ok: answer({ resultType: 'complete', content }),
    bad: answer({ resultType: 'complete', content, isError: true }),
  });
});
afterAll(() => upstream?.close());

/** Starts a broker with a server that has two equal tools, and its client. */
async function startTraced(env: NodeJS.ProcessEnv) {
  const app = await startTestApp({ allowAddresses: [upstream.address], env: { ...withoutHealthChecks, ...env } });
  await deployManifest(app, {
    id: 'said',
    connection: { type: 'http', url: upstream.url },
    billing: { tier: 'T0', toolCosts: { say: price } },
  });
  const { token } = await app.identity.createPersonalToken({ email, name: 'traced' });
  const userId = await giveCredits(app, email, 100);
  upstream.takeCalls();
  /** @returns the client's result, and the `_meta` that the server received */
  async function call(name: string, what: string, meta: Record<string, unknown> = {}, headers = {}) {
    const params = { name: `said__${name}`, arguments: { what, secret }, _meta: meta };
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params, headers);
    const got: Record<string, unknown> = Object(upstream.takeCalls()[0]?.message['params'])['_meta'];
    return { body, got };
  }
  return { app, token, userId, call };
}

describe('calls of a broker with a collector', () => {
  let collector: Collector;
  let app: TestApp;
  let passedOn: Record<string, unknown>;
  let answered: Record<string, unknown>;
  let kept: string[];

  beforeAll(async () => {
    collector = await startCollector();
    const started = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
      OTEL_SERVICE_NAME: 'shop-of-tests',
    });
    ({ app } = started);
    const { call, token, userId } = started;
    kept = [secret, answerText, email, token, userId, 'made-up-tool'];
    const ofMeta = { traceparent: parentOf('1'), tracestate: 'vendor=1' };
    const fast = await call('say', 'ok', ofMeta);
    const sdk = await call('mirrored', 'ok', { ...ofMeta, traceparent: parentOf('2') });
    await call('say', 'bad', { traceparent: parentOf('3') });
    await call('made-up-tool', 'ok', { traceparent: parentOf('4') });
    await call('say', 'ok', {}, { traceparent: parentOf('5') });
    await call('say', 'ok', { traceparent: parentOf('6') }, { traceparent: parentOf('7') });
    const unwanted = await call('say', 'ok', { traceparent: parentOf('8', '00') });
    const odd = ['00-zz-1-01', `${parentOf('9')}-${'x'.repeat(600)}`, `00-${idOf('0')}-${'0'.repeat(16)}-01`];
    const own = [];
    for (const traceparent of odd) own.push((await call('say', 'ok', { traceparent })).got['traceparent']);
    passedOn = {
      fast: fast.got['traceparent'],
      sdk: sdk.got['traceparent'],
      unwanted: unwanted.got['traceparent'],
      own,
    };
    answered = { fast: fast.body.result?.['content'], sdk: sdk.body.result?.['content'] };
    await app.usage.flush();
    await app.stop();
  });
  afterAll(async () => {
    await app?.stop();
    await collector?.close();
  });

  const spansOf = (digit: string) => collector.spans.filter(({ traceId }) => traceId === idOf(digit));

  // the first uses the fast path on both sides, the second the SDK on both
  test.each([
    ['fast', 'say', '1', price],
    ['sdk', 'mirrored', '2', 0],
  ])('a call (%s) is one span of its client, with a span for each step', (way, tool, digit, credits) => {
    expect(answered[way]).toEqual(content);
    const spans = spansOf(digit);
    const whole = spans.find(({ kind }) => kind === 2);
    expect(whole).toMatchObject({ parentSpanId: parentId, name: `tools/call ${tool}` });
    expect(whole?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'souk.server.id': 'said',
      'souk.outcome': 'ok',
      'souk.credits': credits,
    });
    const steps = spans.filter(({ parentSpanId }) => parentSpanId === whole?.spanId);
    expect(steps.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: 'souk.admit', kind: 1 },
      { name: 'souk.hold', kind: 1 },
      { name: `tools/call ${tool}`, kind: 3 },
    ]);
    expect(spans).toHaveLength(4);
    expect(passedOn[way], 'the server continues the trace of the step that calls it').toBe(
      `00-${idOf(digit)}-${steps[2]?.spanId}-01`,
    );
  });

  test('a failure is in the span of the call and in that of the exchange', () => {
    const failed = spansOf('3').filter(({ attributes }) => attributes['error.type'] === 'tool_error');
    expect(failed.map(({ kind, status }) => [kind, status?.code]).toSorted()).toEqual([
      [2, 2],
      [3, 2],
    ]);
  });

  test('a refused call has no step, and its span has no name that a client invented', () => {
    expect(spansOf('4')).toMatchObject([
      { name: 'tools/call', attributes: { 'souk.outcome': 'refused', 'error.type': 'unknown' } },
    ]);
  });

  test('the trace is taken from the headers if _meta has none', () => {
    expect([spansOf('5').length, spansOf('6').length, spansOf('7').length]).toEqual([4, 4, 0]);
  });

  test('a client that does not want its trace recorded is respected, and the server receives the same', () => {
    expect(spansOf('8')).toEqual([]);
    expect(passedOn['unwanted']).toMatch(new RegExp(`^00-${idOf('8')}-[0-9a-f]{16}-00$`));
  });

  test('a call whose trace cannot be read gets its own', () => {
    const own = [passedOn['own']].flat().map((traceparent) => String(traceparent).split('-')[1]);
    expect(new Set(own).size).toBe(3);
    for (const traceId of own)
      expect(collector.spans.filter((span) => span.traceId === traceId && span.traceId !== idOf('9'))).toHaveLength(4);
  });

  test('neither arguments, results, users, tokens nor names that no server offers are sent', () => {
    for (const text of kept) expect(collector.text()).not.toContain(text);
  });

  test('the collector learns which broker sends, through the headers that the operator has set', () => {
    expect(collector.resource).toMatchObject({
      'service.name': 'shop-of-tests',
      'service.version': expect.any(String),
    });
    expect(new Set(collector.requests.map(({ key }) => key))).toEqual(new Set(['a key']));
  });

  test('the figures of /metrics are sent as well: counters, gauges and histograms', () => {
    const calls = collector.metrics.get('souk_calls_total')?.sum;
    expect(calls?.isMonotonic).toBe(true);
    const counted = calls?.dataPoints.map((point) => [recordOf(point.attributes), point['asDouble']]);
    expect(counted).toContainEqual([{ server: 'said', outcome: 'ok' }, 8]);
    expect(collector.metrics.get('souk_upstreams')?.gauge?.dataPoints).toHaveLength(3);
    const [took] = collector.metrics.get('souk_call_duration_seconds')?.histogram?.dataPoints ?? [];
    const buckets = [took?.['bucketCounts']].flat().map(Number);
    const sum = buckets.reduce((total, count) => total + count, 0);
    expect(sum, 'each bucket is counted separately').toBe(Number(took?.['count']));
    expect(sum).toBe(9);
  });
});

test('a share of 0 traces no call whose client has not decided', async () => {
  const collector = await startCollector();
  const { app, call } = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await call('say', 'ok');
  await call('say', 'ok', { traceparent: parentOf('1') });
  await app.stop();
  await collector.close();
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([idOf('1')]));
});

test('a collector that is down delays no call, and a stop by at most 5 s', async () => {
  const { app, call } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect((await call('say', 'ok')).body.result?.['content']).toEqual(content);
  await limitElapsed(15_000, () => app.stop());
});

test('without a collector the trace of a client is forwarded unchanged', async () => {
  const { app, call } = await startTraced({});
  const sent = { traceparent: parentOf('1'), tracestate: 'vendor=1', baggage: 'a=b' };
  expect((await call('say', 'ok', sent)).got).toMatchObject(sent);
  await app.stop();
});
