import { createHash } from 'node:crypto';
import { pagePaths } from '@souk/contract/pages.ts';
import { modernRequest } from '../../../apps/broker/src/testing/people/modern-request.ts';
import { giantId } from '../fill-shop.ts';
import { serverId, type Row } from './row.ts';

const files = [
  '/healthz',
  '/readyz',
  '/oauth/mark.svg',
  '/oauth/pages.css',
  '/oauth/pages.woff2',
  '/oauth/pages-mono.woff2',
  '/oauth/theme.js',
  '/oauth/jwks',
  '/favicon.ico',
  '/share.png',
  '/robots.txt',
  '/openapi.json',
  '/docs/api',
  '/docs/manifests',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/s/:serverId/mcp',
  '/dev-google/jwks',
  '/dev-google/.well-known/openid-configuration',
];
const page = (path?: string): Row => ({
  what: 'opened by a browser',
  headers: { accept: 'text/html' },
  ...(path !== undefined && { path }),
});
const everyTool = (path: string): Row => ({
  what: 'tools/list of all servers',
  path,
  ask: ({ personalToken }) => {
    const { headers, body } = modernRequest(personalToken, 'tools/list');
    return { headers, body };
  },
});
const invalidCode = (clientId: string) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code: 'c'.repeat(8_000),
});

/** Files, pages, the link and the OAuth servers: routes outside the contract. */
export const otherRows: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(files.map((path): [string, Row] => [`GET ${path}`, { what: 'a file' }])),
  'GET /icons/:file': { what: 'a file', path: '/icons/unknown.svg' },
  'GET /sign-in/window': page(),
  'GET /sitemap.xml': { what: 'every server' },
  'GET /*': page('/nowhere'),
  'POST /*': { what: 'unknown', path: '/nowhere', json: {} },
  'POST /oauth/token': { what: 'an invalid code of 8 KB', ask: ({ clientId }) => ({ form: invalidCode(clientId) }) },
  'GET /oauth/authorize': {
    what: 'a state of 8 KB',
    ask: ({ clientId }) => ({
      query: {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: 'http://127.0.0.1:53999/callback',
        code_challenge: createHash('sha256').update('verifier').digest('base64url'),
        code_challenge_method: 'S256',
        scope: 'mcp:tools mcp:prompts mcp:resources',
        state: 's'.repeat(8_000),
      },
    }),
  },
  'GET /oauth/authorize/:uid': { what: 'unknown' },
  'POST /oauth/logout': { form: {} },
  'POST /oauth/logout/confirm': { form: {} },
  'POST /oauth/revoke': {
    what: 'an invalid token of 8 KB',
    ask: ({ clientId }) => ({ form: { client_id: clientId, token: 't'.repeat(8_000) } }),
  },
  'POST /oauth/register': {
    what: '15 KB of addresses',
    ask: (_, round) => ({
      json: {
        client_name: `Client ${round}`,
        redirect_uris: Array.from({ length: 10 }, (_each, n) => `https://app.example/${n}/${'x'.repeat(1_400)}`),
      },
    }),
  },
  'GET /oauth/userinfo': { as: 'person' },
  'GET /oauth/interaction/:uid': page(),
  'POST /oauth/interaction/:uid': { what: 'unknown', form: { allow: '1' } },
  'GET /dev-mail': {},
  'GET /unsubscribe': { what: 'an invalid token', query: { token: 't'.repeat(200) } },
  'POST /unsubscribe': { what: 'an invalid token', query: { token: 't'.repeat(200) }, form: {} },
  'GET /login': { query: { return_to: '/auth/callback', state: 's'.repeat(100), code_challenge: 'a'.repeat(43) } },
  'GET /auth/:provider': { path: '/auth/google?return_to=/auth/success' },
  'GET /auth/google/callback': page('/auth/google/callback?code=x&state=y'),
  'POST /auth/email/sign-in': { what: 'not offered', json: {} },
  'POST /auth/email/sign-up': { what: 'not offered', json: {} },
  'GET /dev-google/choose/:uid': page(),
  'POST /dev-google/choose/:uid': { what: 'unknown', form: { email: 'a@b.test' } },
  'GET /dev-google/auth': page('/dev-google/auth?client_id=unknown'),
  'GET /dev-google/auth/:uid': page(),
  'GET /dev-google/me': { what: 'without a token' },
  'POST /dev-google/token': { what: 'an invalid code', form: invalidCode('x') },
  'POST /api/webhooks/stripe': {
    what: '250 KB with a wrong signature',
    json: { padding: 'x'.repeat(250_000) },
    headers: { 'stripe-signature': 't=1,v1=00' },
  },
  'POST /mcp': everyTool('/mcp'),
  'GET /mcp': { what: 'without a token' },
  'DELETE /mcp': { what: 'without a token' },
  'POST /s/:serverId/mcp': everyTool(`/s/${giantId}/mcp`),
  'GET /s/:serverId/mcp': { what: 'without a token', path: `/s/${serverId}/mcp` },
  'DELETE /s/:serverId/mcp': { what: 'without a token', path: `/s/${serverId}/mcp` },
  ...Object.fromEntries(pagePaths.filter((path) => !path.includes(':')).map((path) => [`GET ${path}`, page()])),
  'GET /service/:serviceId': page(`/service/${giantId}`),
  'GET /connect/:serverId': page(`/connect/${giantId}`),
};
