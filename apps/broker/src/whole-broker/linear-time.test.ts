import { PassThrough } from 'node:stream';
import { cursorSchema, daySchema, momentSchema } from '@souk/contract/times.ts';
import { expect, test } from 'vitest';
import { faultOfHeaderArguments } from '#adapters/mcp/connect/header-arguments.ts';
import { scanAnswer } from '#adapters/mcp/fast/scan-answer.ts';
import { drainDiagnostics } from '#adapters/mcp/transports/stderr-lines.ts';
import { isScopeChallenge, mediaTypeOf } from '#adapters/mcp/transports/bounded-fetch.ts';
import { rewriteEvents } from '#adapters/mcp/wire/rewrite-events.ts';
import { parseServerJson } from '#adapters/mcp/wire/server-messages.ts';
import { markLongNumbers, parseExactly } from '#platform/json/exact-numbers.ts';
import { rewriteWithoutNull } from '#platform/http/outgoing/without-null-members.ts';
import { withoutAbsentOfClient } from '../features/gateway/door/client-messages.ts';
import { readEvents } from '#adapters/mcp/wire/event-data.ts';
import { createLineSplitter } from '#adapters/mcp/wire/line-splitter.ts';
import { createMessageReader } from '#adapters/mcp/wire/message-reader.ts';
import { createEventSplitter } from '#adapters/mcp/wire/sse-events.ts';
import { saysSessionLost } from '#adapters/mcp/wire/says-session-lost.ts';
import { readJsonRpcError, stripPrefix } from '#adapters/mcp/wire/translate-error.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { isPublicAddress } from '#platform/http/outgoing/address-guard.ts';
import { bearerParameters } from '#platform/http/outgoing/challenge-header.ts';
import { maySignIn } from '#platform/config/sign-in-allow.ts';
import { chooseEncoding } from '#platform/http/answers/choose-encoding.ts';
import { namesTag } from '#platform/http/answers/constant-text.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { escapeHtml } from '#platform/http/answers/page.ts';
import { seenProxy } from '#platform/http/connections/seen-proxy.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { clientName, nameUserAgent } from '#platform/text/client-name.ts';
import { createLog } from '#platform/log.ts';
import { normalUri } from '#platform/text/normal-uri.ts';
import { readUriTemplate } from '#platform/text/uri-template.ts';
import { cleanDefinition } from '../features/catalogue/review/clean-definition.ts';
import { cleanText } from '../features/catalogue/review/clean-text.ts';
import { exposeName, exposeUri, isOurUri, ownUri } from '../features/catalogue/snapshot/exposed-name.ts';
import { searchWords } from '../features/catalogue/search/search-words.ts';
import { parseManifest } from '../features/catalogue/manifests/parse-manifest.ts';
import { readCall, recogniseLegacy, recogniseModern } from '../features/gateway/fast-path/recognise-call.ts';
import { parseAccept } from '../features/gateway/wire/parse-accept.ts';
import { methodsOf } from '../features/gateway/door/required-scope.ts';
import { continuesCalls } from '../features/gateway/door/under-way.ts';
import { wordsOf } from '../features/gateway/meta-tools/tool-words.ts';
import { pageOf } from '../features/gateway/protocol/paginate.ts';
import { readEventId } from '../features/gateway/protocol/sessions/event-store.ts';
import { readIds } from '../features/gateway/protocol/sessions/session-transport.ts';
import { readBearer } from '../features/identity/authentication/bearer.ts';
import { namesNoScope, normalizeAuthorizeRequest } from '../features/identity/oauth/authorize-request.ts';
import { readClientMetadata } from '../features/identity/oauth/client-documents/client-metadata.ts';
import { nameBrowser } from '../features/identity/oauth/connected-apps/name-browser.ts';
import { isLoopbackRedirect, matchesRedirect, redirectProblem } from '../features/identity/oauth/redirect-uri.ts';
import { createResources, isServerId } from '../features/identity/oauth/resources.ts';
import { standInEmailSchema } from '../features/identity/stand-in/stand-in-accounts.ts';
import { readAuthorizeAddress, readReturnTo } from '../features/identity/sign-in/return-to.ts';
import { readEntries } from '../features/upstreams/import/read-entries.ts';
import { createProgramLog } from '../features/upstreams/processes/program-log.ts';
import { readChallenge, scopesOf } from '../features/upstreams/sign-in/issuers/read-challenge.ts';
import { readTokenAnswer } from '../features/upstreams/sign-in/tokens/token-answer.ts';
import { holdsText, limitParser, limitSlowParser, someHostileTexts } from '../testing/figures/hostile-texts.ts';

// External input cannot block the event loop: each parser of such input takes linear time (bad input 41).

/** Shortest length that every parser reads: one accepts no longer text. */
const leastReached = 16_000;

const publicUrl = 'https://souk.test';
const resources = createResources(publicUrl, () => false);
const nothingVisible = { tool: () => undefined, prompt: () => undefined } as unknown as Parameters<
  typeof recogniseModern
>[2];
const policy = { stdioAliases: new Set<string>(), services: new Set<string>(), addressProblem: () => undefined };
const allow = { domains: new Set(['souk.test']), addresses: new Set<string>() };
const programLog = createProgramLog(createLog('silent'));
const aTool = { type: 'object', properties: {} };

const callOf = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, _meta: { [name]: name } },
});

/** Builds a batch with the maximum number of messages, each with its part of the text. */
function batchOf(text: string): unknown[] {
  const part = Math.ceil(text.length / 100);
  return Array.from({ length: 100 }, (_, index) => {
    const piece = text.slice(index * part, (index + 1) * part);
    return { id: piece, method: piece };
  });
}

/** Calls a parser, or a probe that records its arguments. */
type Call = <Args extends readonly unknown[]>(parser: (...args: Args) => unknown, ...args: Args) => unknown;

function heardOnStderr(text: string): void {
  const stderr = new PassThrough();
  drainDiagnostics(stderr, () => {});
  stderr.emit('data', text);
  stderr.emit('data', text);
}

/** Every parser of external text, by how the text reaches it. */
const parsers: Record<string, (call: Call, text: string) => unknown> = {
  'a template of a server': (call, text) =>
    call((template) => readUriTemplate(template).matches(`x:${'a/'.repeat(1000)}`), text),
  'an address for a template': (call, text) =>
    call((address) => readUriTemplate('{+a}{+b}/{+c}{d}{+e}X').matches(address), text),
  'a resource': (call, text) => call(resources.canonical, text),
  'a resource of ours': (call, text) => call(resources.canonical, `${publicUrl}/mcp${text}`),
  'the spelling of a resource': (call, text) => [
    call(resources.isMcp, `${publicUrl}/s/${text}/mcp`),
    call(isServerId, text),
  ],
  'a redirect URI': (call, text) => call(redirectProblem, text),
  'a loopback redirect URI': (call, text) => [
    call(redirectProblem, `http://127.0.0.1${text}`),
    call(isLoopbackRedirect, `http://localhost${text}`),
    call(matchesRedirect, `http://localhost:1/${text}`, ['http://localhost:2/a', text]),
  ],
  'a bearer token': (call, text) => [call(readBearer, text), call(readBearer, `Bearer ${text}`)],
  'the metadata of a client': (call, text) =>
    call(readClientMetadata, {
      redirect_uris: [text, `https://a.test/${text}`],
      client_name: text,
      client_uri: text,
      scope: text,
    }),
  'an authorization request': (call, text) => call(normalizeAuthorizeRequest, new URLSearchParams(text), resources),
  'the values of an authorization request': (call, text) =>
    call(
      normalizeAuthorizeRequest,
      new URLSearchParams({ scope: text, resource: text, response_mode: text }),
      resources,
    ),
  'a scope': (call, text) => [call(namesNoScope, text), call(scopesOf, text)],
  return_to: (call, text) => [
    call(readReturnTo, text, publicUrl),
    call(readAuthorizeAddress, text, publicUrl),
    call(readAuthorizeAddress, `/oauth/authorize?${text}`, publicUrl),
  ],
  'a browser': (call, text) => call(nameBrowser, text),
  'the depth of JSON': (call, text) => call(isTooDeep, text),
  'numbers in JSON': (call, text) => [
    call(markLongNumbers, text),
    call(refusing(parseExactly), `[${text.slice(0, leastReached)}]`),
    call(markLongNumbers, `[${'1'.repeat(text.length)}]`),
  ],
  'null in JSON': (call, text) => [
    call(refusing(parseServerJson), `{"result":{"a":null,"content":${text}}}`),
    call((body) => withoutAbsentOfClient(body), {
      method: 'tools/call',
      params: { [text]: null, name: text, _meta: null },
    }),
    call(rewriteWithoutNull, `{"a":null,"b":${text}}`),
    call(refusing(rewriteEvents), `data: ${text}null\n\n`),
  ],
  'the text of a tool': (call, text) => call(cleanText, text),
  'the definition of a tool': (call, text) =>
    call(cleanDefinition, 'tool', {
      name: text,
      title: text,
      description: text,
      inputSchema: { [text]: { title: text } },
    }),
  'the name of a tool': (call, text) => call(exposeName, 'slug', text),
  'the address of a resource': (call, text) => [
    call(exposeUri, 'slug', text),
    call(isOurUri, text),
    call(ownUri, 'slug', text),
    call(normalUri, `x://${text}`),
  ],
  'a label': (call, text) => [call(cleanLabel, text), call(nameUserAgent, text), call(clientName, text, text)],
  'a text in a page': (call, text) => call(escapeHtml, text),
  'a challenge': (call, text) => [
    call(bearerParameters, text),
    call(readChallenge, text),
    call(isScopeChallenge, text),
  ],
  'a challenge of ours': (call, text) => [
    call(bearerParameters, `Bearer ${text.slice(0, leastReached)}`),
    call(isScopeChallenge, `Bearer error=${text}`),
  ],
  'a manifest': (call, text) => call(refusing(parseManifest), text, policy),
  'the texts of a manifest': (call, text) =>
    call(
      refusing(parseManifest),
      JSON.stringify({ id: text, name: text, connection: { type: 'http', url: text } }),
      policy,
    ),
  'a text that is imported': (call, text) => [
    call(refusing(readEntries), text),
    call(refusing(readEntries), `[mcp_servers.a]\nurl = "${text}`),
    call(
      refusing(readEntries),
      JSON.stringify({
        mcpServers: {
          [text]: { url: text, headers: { [text]: text } },
          a: { command: 'npx', args: ['-y', text, text], env: { [text]: text } },
          b: { command: text, args: ['mcp-remote', text] },
        },
      }),
    ),
    call(
      refusing(readEntries),
      JSON.stringify([
        { name: 'a/b', title: text, version: text, remotes: [{ type: text, url: text }] },
        { name: 'a/b', remotes: [{ type: 'http', url: `https://${text}`, variables: { a: { default: text } } }] },
        { name: 'a/b', packages: [{ registryType: 'npm', identifier: text, version: text }] },
      ]),
    ),
  ],
  'the words of a search': (call, text) => [call(wordsOf, text), call(searchWords, text)],
  'a server-sent event': (call, text) => call(readEvents, text),
  'the bytes of an event stream': (call, text) => call(createEventSplitter(1024 * 1024).push, Buffer.from(text)),
  'the lines of a program': (call, text) => call(createLineSplitter(1024 * 1024).push, Buffer.from(text)),
  'what a program writes to stderr': (call, text) => call(heardOnStderr, text),
  'a line of stderr': (call, text) => call(programLog.add, 'web', 'shared', [text], ['a secret', 'a/', '    ']),
  'a message': (call, text) => call(refusing(createMessageReader()), text),
  'an answer': (call, text) => [
    call(refusing(scanAnswer), text),
    call(refusing(scanAnswer), `{"jsonrpc":"2.0","id":1,"result":{"a":${text}}}`),
  ],
  'an error': (call, text) => [
    call(readJsonRpcError, text),
    call(stripPrefix, text),
    call(saysSessionLost, -32000, text),
  ],
  'the answer of a token endpoint': (call, text) => [
    call(readTokenAnswer, text),
    call(readTokenAnswer, JSON.stringify({ error: text })),
    call(readTokenAnswer, JSON.stringify({ ok: true, authed_user: { id: text, access_token: text } })),
  ],
  'a batch': (call, text) => {
    const batch = batchOf(text);
    return [call(methodsOf, batch), call(continuesCalls, batch), call(readIds, batch, new Set<string>())];
  },
  'the cursor of a list': (call, text) => [
    call(refusing(pageOf), 'tools', [], text),
    call(refusing(pageOf), 'tools', [], Buffer.from(`tools ${text}`).toString('base64url')),
  ],
  'a time or a cursor': (call, text) => [
    call((value: string) => cursorSchema.safeParse(value), text),
    call((value: string) => daySchema.safeParse(value), text),
    call((value: string) => momentSchema.safeParse(value), `2026-01-01T00:00:00.${text}`),
  ],
  'an e-mail address': (call, text) => [
    call(maySignIn, allow, text),
    call(maySignIn, allow, `a@${text}`),
    call((email: string) => standInEmailSchema.safeParse(email), text),
  ],
  'the headers of a proxy': (call, text) =>
    call(seenProxy, { headers: { 'x-forwarded-proto': text, 'x-forwarded-for': text }, ips: [text] }),
  'If-None-Match': (call, text) => call(namesTag, text, 'W/"x"'),
  'an event id': (call, text) => call(readEventId, text),
  'an accepted encoding': (call, text) => call(chooseEncoding, text),
  'a media type': (call, text) => call(mediaTypeOf, text),
  'the accepted types': (call, text) => [call(parseAccept, text), call(parseAccept, `application/json;${text}`)],
  'an address': (call, text) => [
    call(addressGroup, text),
    call(isPublicAddress, text),
    call(isWebPage, text),
    call(isWebPage, `https://${text}`),
  ],
  'a header argument': (call, text) =>
    call(faultOfHeaderArguments, {
      ...aTool,
      properties: { a: { type: 'string', 'x-mcp-header': text }, [text]: {} },
    }),
  'a call': (call, text) => {
    const modern = { 'content-type': 'application/json', 'mcp-name': text };
    const legacy = { 'content-type': 'application/json', 'mcp-protocol-version': text };
    return [
      call((body) => {
        const message = readCall(modern, body);
        return message && recogniseModern(modern, message, nothingVisible);
      }, callOf(text)),
      call((body) => {
        const message = readCall(legacy, body);
        return message && recogniseLegacy(legacy, message, nothingVisible, {});
      }, callOf(text)),
    ];
  },
};

/** Wraps a parser that throws at what it cannot read. */
function refusing<Args extends readonly unknown[]>(parser: (...args: Args) => unknown): (...args: Args) => unknown {
  return (...args) => {
    try {
      return parser(...args);
    } catch {
      return undefined;
    }
  };
}

const rows = Object.entries(parsers);
const callIt: Call = (parser, ...args) => parser(...args);

test.each(rows)('bad input 41: 64 KiB of any shape take under 20 ms of CPU: %s', async (_name, parse) => {
  await expect(limitParser((text) => parse(callIt, text))).resolves.toBeUndefined();
});

test.each(rows)('each parser of a row receives the hostile text: %s', (_name, parse) => {
  const results: unknown[] = [];
  parse((parser, ...args) => results.push(parser(...args)), '{"a": [1]}\n\n');
  expect(results.length).toBeGreaterThan(0);
  for (const [index, result] of results.entries()) {
    // it did its work, and left none to the reader of its result
    expect(Object(result)).not.toHaveProperty('next');
    const isGiven = (text: string) => {
      const given: boolean[] = [];
      parse((_parser, ...args) => given.push(holdsText(args, leastReached)), text);
      return given[index];
    };
    expect(someHostileTexts.some(isGiven)).toBe(true);
  }
});

/**
 * Typical backtracking parsers. Each reads some text again for each of its characters, in each of the fields that it is
 * for: a fast machine reads one of them in 19 ms.
 */
const fields = 4;
const backtracking: Record<string, (text: string) => unknown> = {
  'loopback addresses': (text) => inEachField(() => /(?:http:\/\/localhost:)+x/.test(text)),
  'prefixes of errors': (text) => inEachField(() => text.replace(/(?:MCP error -1: )+x/g, '')),
};

function inEachField(parse: () => unknown): unknown[] {
  return Array.from({ length: fields }, parse);
}

test.each(Object.entries(backtracking))('the measurement detects a backtracking parser: %s', async (_name, parse) => {
  await expect(limitSlowParser(parse)).resolves.toBeUndefined();
});
