import { beforeEach, expect, test } from 'vitest';
import type { McpRequest } from '#features/gateway/index.ts';
import type { AttemptEvent } from './attempt-event.ts';
import { followRequests } from './follow-requests.ts';

let nowMs: number;
let recorded: AttemptEvent[];
let versions: string[];
let events: ReturnType<typeof followRequests>;
beforeEach(() => {
  nowMs = 1_000_000;
  recorded = [];
  versions = [];
  events = followRequests({
    clock: { now: () => nowMs },
    record: (event) => recorded.push(event),
    versionSeen: (...seen) => versions.push(seen.join(' ')),
  });
});

function requestOf(userAgent = 'program/1'): McpRequest {
  return {
    caller: {
      userId: 'user',
      role: 'user',
      kind: 'personal',
      clientId: 'personal',
      tokenId: 'token',
      scopes: ['mcp:tools'],
      expiresAtMs: Number.POSITIVE_INFINITY,
    },
    headers: { 'user-agent': userAgent, 'mcp-protocol-version': '2026-07-28' },
    body: {},
    isAnswered: false,
    program: undefined,
  };
}

test('a call is recorded once, however often its client calls again', () => {
  for (let i = 0; i < 100; i++) events.requestAnswered(requestOf(), 'tools/call');
  expect(recorded.map(({ passed }) => passed)).toEqual([['first-request', 'era', 'first-call']]);
});

test('a recorded step is recorded again after ten minutes', () => {
  events.requestAnswered(requestOf(), 'tools/call');
  nowMs += 10 * 60_000;
  events.requestAnswered(requestOf(), 'tools/call');
  expect(recorded.map(({ atMs }) => atMs)).toEqual([1_000_000, 1_600_000]);
});

test('each program of a personal token is recorded separately', () => {
  for (const agent of ['one/1', 'two/1', 'one/1']) events.requestAnswered(requestOf(agent), 'tools/list');
  expect(recorded.map(({ userAgent }) => userAgent)).toEqual(['one/1', 'two/1']);
});

test('a failure is recorded once, and a step that passes after it is recorded again', () => {
  events.requestAnswered(requestOf(), 'tools/list');
  for (let i = 0; i < 3; i++) events.requestServed(requestOf(), 406);
  events.requestAnswered(requestOf(), 'tools/list');
  expect(recorded.map(({ failure, passed }) => failure?.reason ?? passed?.at(-1))).toEqual([
    'tools-listed',
    'wrong-accept',
    'tools-listed',
  ]);
});

test('a response that the client did not cause is no failure', () => {
  for (const status of [405, 429, 500, 503]) events.requestServed(requestOf(), status);
  expect(recorded).toEqual([]);
});

test('a version is reported when it has changed, at most once a minute', () => {
  const opening = (version: string): McpRequest => ({
    ...requestOf(),
    caller: { ...requestOf().caller, kind: 'client', clientId: 'client', tokenId: 'grant' },
    body: { params: { clientInfo: { name: 'any', version } } },
  });
  for (const version of ['2.1.0', '2.1.9', '2.2.0', '2.3.0']) events.requestAnswered(opening(version), 'initialize');
  expect(versions).toEqual(['grant 2.1']);
  nowMs += 60_000;
  events.requestAnswered(opening('2.3.0'), 'initialize');
  expect(versions).toEqual(['grant 2.1', 'grant 2.3']);
  expect(recorded.map(({ clientVersion }) => clientVersion)).toEqual(['2.1', '2.3']);
});
