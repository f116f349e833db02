import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfHeaderArguments } from '#adapters/mcp/connect/header-arguments.ts';
import { scanAnswer } from '#adapters/mcp/fast/scan-answer.ts';
import { drainDiagnostics } from '#adapters/mcp/transports/stderr-lines.ts';
import { isScopeChallenge, mediaTypeOf } from '#adapters/mcp/transports/bounded-fetch.ts';
import { readEvents } from '#adapters/mcp/wire/event-data.ts';
import { createLineSplitter } from '#adapters/mcp/wire/line-splitter.ts';
import { createMessageReader } from '#adapters/mcp/wire/message-reader.ts';
import { createEventSplitter } from '#adapters/mcp/wire/sse-events.ts';
import { readJsonRpcError, stripPrefix } from '#adapters/mcp/wire/translate-error.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';
import { addressGroup } from '#platform/http/address-group.ts';
import { isPublicAddress } from '#platform/http/address-guard.ts';
import { bearerParameters } from '#platform/http/challenge-header.ts';
import { maySignIn } from '#platform/config/sign-in-allow.ts';
import { chooseEncoding } from '#platform/http/choose-encoding.ts';
import { namesTag } from '#platform/http/constant-text.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { escapeHtml } from '#platform/http/page.ts';
import { seenProxy } from '#platform/http/seen-proxy.ts';
import { cleanLabel } from '#platform/clean-label.ts';
import { clientName, nameUserAgent } from '#platform/client-name.ts';
import { createLog } from '#platform/log.ts';
import { matchesTemplate } from '#platform/uri-template.ts';
import { cleanDefinition } from './features/catalogue/clean-definition.ts';
import { cleanText } from './features/catalogue/clean-text.ts';
import { exposeName, exposeUri, isOurUri, ownUri } from './features/catalogue/exposed-name.ts';
import { parseManifest } from './features/catalogue/parse-manifest.ts';
import { recogniseLegacy, recogniseModern } from './features/gateway/fast-path/recognise-call.ts';
import { methodsOf } from './features/gateway/http/required-scope.ts';
import { continuesCalls } from './features/gateway/http/under-way.ts';
import { wordsOf } from './features/gateway/meta-tools/tool-words.ts';
import { pageOf } from './features/gateway/protocol/paginate.ts';
import { readEventId } from './features/gateway/protocol/sessions/event-store.ts';
import { readIds } from './features/gateway/protocol/sessions/session-transport.ts';
import { readBearer } from './features/identity/authentication/bearer.ts';
import { namesNoScope, normalizeAuthorizeRequest } from './features/identity/oauth/authorize-request.ts';
import { readClientMetadata } from './features/identity/oauth/client-metadata.ts';
import { nameBrowser } from './features/identity/oauth/name-browser.ts';
import { isLoopbackRedirect, matchesRedirect, redirectProblem } from './features/identity/oauth/redirect-uri.ts';
import { createResources, isServerId } from './features/identity/oauth/resources.ts';
import { standInEmailSchema } from './features/identity/stand-in/stand-in.ts';
import { readAuthorizeAddress, readReturnTo } from './features/identity/sign-in/return-to.ts';
import { createProgramLog } from './features/upstreams/processes/program-log.ts';
import { readChallenge, scopesOf } from './features/upstreams/sign-in/read-challenge.ts';
import { readTokenAnswer } from './features/upstreams/sign-in/token-answer.ts';
import { readCursor } from './features/usage/read-calls.ts';

// Nobody outside can keep the event loop: every parser of theirs takes linear time (bad input 41).

const bytes = 64 * 1024;
const mostMs = 20;

const publicUrl = 'https://souk.test';
const resources = createResources(publicUrl, () => false);
const nothingVisible = { tool: () => undefined, prompt: () => undefined } as unknown as Parameters<
  typeof recogniseModern
>[2];
const policy = { stdioAliases: new Set<string>(), services: new Set<string>(), addressProblem: () => undefined };
const allow = { domains: new Set(['souk.test']), addresses: new Set<string>() };
const programLog = createProgramLog(createLog('silent'));
const aTool = { type: 'object', properties: {} };

const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, _meta: { [name]: name } },
});

/** As many messages as a batch may have, of which each has its part of the text. */
function batchOf(text: string): unknown[] {
  const part = Math.ceil(text.length / 100);
  return Array.from({ length: 100 }, (_, index) => {
    const piece = text.slice(index * part, (index + 1) * part);
    return { id: piece, method: piece };
  });
}

function heardOnStderr(text: string): void {
  const stderr = new PassThrough();
  drainDiagnostics(stderr, () => {});
  stderr.emit('data', text);
  stderr.emit('data', text);
}

/** Every parser of text from outside. */
const parsers: Record<string, (text: string) => unknown> = {
  'a template of a server': (text) => matchesTemplate(text, `x:${'a/'.repeat(1000)}`),
  'an address for a template': (text) => matchesTemplate('{+a}{+b}/{+c}{d}{+e}X', text),
  'a resource': (text) => resources.canonical(text),
  'a resource of ours': (text) => resources.canonical(`${publicUrl}/mcp${text}`),
  'the spelling of a resource': (text) => [resources.isMcp(`${publicUrl}/s/${text}/mcp`), isServerId(text)],
  'a redirect URI': (text) => redirectProblem(text),
  'a loopback redirect URI': (text) => [
    redirectProblem(`http://127.0.0.1${text}`),
    isLoopbackRedirect(`http://localhost${text}`),
    matchesRedirect(`http://localhost:1/${text}`, ['http://localhost:2/a', text]),
  ],
  'a bearer token': (text) => [readBearer(text), readBearer(`Bearer ${text}`)],
  'the metadata of a client': (text) =>
    readClientMetadata({
      redirect_uris: [text, `https://a.test/${text}`],
      client_name: text,
      client_uri: text,
      scope: text,
    }),
  'an authorization request': (text) => normalizeAuthorizeRequest(new URLSearchParams(text), resources),
  'the values of an authorization request': (text) =>
    normalizeAuthorizeRequest(new URLSearchParams({ scope: text, resource: text, response_mode: text }), resources),
  'a scope': (text) => [namesNoScope(text), scopesOf(text)],
  return_to: (text) => [
    readReturnTo(text, publicUrl),
    readAuthorizeAddress(text, publicUrl),
    readAuthorizeAddress(`/oauth/authorize?${text}`, publicUrl),
  ],
  'a browser': nameBrowser,
  'the depth of JSON': (text) => isTooDeep(text),
  'the text of a tool': cleanText,
  'the definition of a tool': (text) =>
    cleanDefinition('tool', { name: text, title: text, description: text, inputSchema: { [text]: { title: text } } }),
  'the name of a tool': (text) => exposeName('slug', text),
  'the address of a resource': (text) => [exposeUri('slug', text), isOurUri(text), ownUri('slug', text)],
  'a label': (text) => [cleanLabel(text), nameUserAgent(text), clientName(text, text)],
  'a text in a page': escapeHtml,
  'a challenge': (text) => [bearerParameters(text), readChallenge(text), isScopeChallenge(text)],
  'a challenge of ours': (text) => [
    bearerParameters(`Bearer ${text.slice(0, 16_000)}`),
    isScopeChallenge(`Bearer error=${text}`),
  ],
  'a manifest': (text) => orNothing(() => parseManifest(text, policy)),
  'the texts of a manifest': (text) =>
    orNothing(() =>
      parseManifest(JSON.stringify({ id: text, name: text, connection: { type: 'http', url: text } }), policy),
    ),
  'the words of a search': wordsOf,
  'a server-sent event': readEvents,
  'the bytes of an event stream': (text) => createEventSplitter(1024 * 1024).push(Buffer.from(text)),
  'the lines of a program': (text) => createLineSplitter(1024 * 1024).push(Buffer.from(text)),
  'what a program writes to stderr': heardOnStderr,
  'a line of stderr': (text) => programLog.add('web', [text], ['a secret', 'a/', '    ']),
  'a message': (text) => orNothing(() => createMessageReader()(text)),
  'an answer': (text) =>
    orNothing(() => [scanAnswer(text), scanAnswer(`{"jsonrpc":"2.0","id":1,"result":{"a":${text}}}`)]),
  'an error': (text) => [readJsonRpcError(text), stripPrefix(text)],
  'the answer of a token endpoint': (text) => [
    readTokenAnswer(text),
    readTokenAnswer(JSON.stringify({ error: text })),
    readTokenAnswer(JSON.stringify({ ok: true, authed_user: { id: text, access_token: text } })),
  ],
  'a batch': (text) => {
    const batch = batchOf(text);
    return [methodsOf(batch), continuesCalls(batch), readIds(batch, new Set())];
  },
  'the cursor of a list': (text) => [
    orNothing(() => pageOf('tools', [], text)),
    orNothing(() => pageOf('tools', [], Buffer.from(`tools ${text}`).toString('base64url'))),
  ],
  'the cursor of a list of calls': (text) => orNothing(() => readCursor(text)),
  'an e-mail address': (text) => [
    maySignIn(allow, text),
    maySignIn(allow, `a@${text}`),
    standInEmailSchema.safeParse(text),
  ],
  'the headers of a proxy': (text) =>
    seenProxy({ headers: { 'x-forwarded-proto': text, 'x-forwarded-for': text }, ips: [text] }),
  'If-None-Match': (text) => namesTag(text, 'W/"x"'),
  'an event id': readEventId,
  'an accepted encoding': chooseEncoding,
  'a media type': mediaTypeOf,
  'an address': (text) => [addressGroup(text), isPublicAddress(text), isWebPage(text), isWebPage(`https://${text}`)],
  'a header argument': (text) =>
    faultOfHeaderArguments({ ...aTool, properties: { a: { type: 'string', 'x-mcp-header': text }, [text]: {} } }),
  'a call': (text) => [
    recogniseModern({ 'content-type': 'application/json', 'mcp-name': text, accept: text }, call(text), nothingVisible),
    recogniseLegacy({ 'content-type': 'application/json', accept: text }, call(text), nothingVisible, {}),
  ],
};

function orNothing(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** CPU of the best of several runs: the machine has other work, and the first run compiles. */
function bestMs(parse: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 8 && best >= mostMs; run++) {
    const before = process.cpuUsage();
    parse();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    // nothing else explains so much: more runs would only take minutes
    if (best > 25 * mostMs) break;
  }
  return best;
}

const repeated = (unit: string) => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);

const words = String.raw`/ a " \ , = . - : % # ? [ { } 1 é {+a} {a} /a .. a. 1. aA a=b, \" %2F // ::ffff: {"a": [[ "a", ing a- a_ https://
  http://localhost: @ a@ localhost. < & q=0, gzip;q=1, *, error= id: bearer`;
const blank = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\0',
  '\r\n',
  '\n\n',
  ', ',
  'bearer ',
  'Bearer a="',
  'error =',
  'data: ',
  'data: x\n\n',
];
const odd = ['\u001B[', '\u001B[1;', '2026-01-01T', 'ssing ', 'MCP error -1: ', '\u{1F600}', '\u202E', '\u{E0041}'];
/** What has made parsers slow, over and over. */
const shapes = [...words.split(/\s+/), ...blank, ...odd].map(repeated);

/** The first text for which a parser takes too long, or undefined. */
function findSlowText(parse: (text: string) => unknown): string | undefined {
  const isSlow = (text: string) => bestMs(() => parse(text)) >= mostMs;
  // what ends otherwise than it began is what backtracking tries again
  const fixed = shapes.flatMap((shape) => [shape, `${shape.slice(0, -1)}!`]).find(isSlow);
  if (fixed !== undefined) return fixed.slice(0, 40);
  const piece = fc.oneof(
    fc.constantFrom(...shapes.map((shape) => shape.slice(0, 4))),
    fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
  );
  const text = fc
    .tuple(piece, piece, piece)
    .map(([head, middle, tail]) => head + repeated(middle).slice(head.length + tail.length) + tail);
  const { counterexample } = fc.check(
    fc.property(text, (each) => !isSlow(each)),
    { numRuns: 15 },
  );
  return counterexample?.[0].slice(0, 40);
}

test.each(Object.entries(parsers))('bad input 41: 64 KiB of any shape take under 20 ms of CPU: %s', (_name, parse) => {
  expect(findSlowText(parse)).toBeUndefined();
});

/** Parsers as people write them. Each reads some text again for each of its characters. */
const backtracking: Record<string, (text: string) => unknown> = {
  'loopback addresses': (text) => /(?:http:\/\/localhost:)+x/.test(text),
  'prefixes of errors': (text) => text.replace(/(?:MCP error -1: )+x/g, ''),
};

test.each(Object.entries(backtracking))('the measure finds a parser that backtracks: %s', (_name, parse) => {
  expect(findSlowText(parse)).toBeDefined();
});
