import { expect, test } from 'vitest';
import { discoverSignIn } from './discover-sign-in.ts';
import { doubtsOf } from './doubts-of.ts';
import { refreshParameters } from './known-providers.ts';
import { asTokenAnswer } from '../tokens/token-answer.ts';

/** Metadata documents of these providers, as of 2026. */
const github = {
  url: 'https://api.githubcopilot.com/mcp/',
  challenge:
    'Bearer error="invalid_request", error_description="No access token was provided in this request", resource_metadata="https://api.githubcopilot.com/.well-known/oauth-protected-resource/mcp/"',
  documents: {
    'https://api.githubcopilot.com/.well-known/oauth-protected-resource/mcp/': {
      resource_name: 'GitHub MCP Server',
      resource: 'https://api.githubcopilot.com/mcp/',
      authorization_servers: ['https://github.com/login/oauth'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['repo', 'read:org'],
    },
    'https://github.com/.well-known/oauth-authorization-server/login/oauth': {
      issuer: 'https://github.com/login/oauth',
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
    },
  },
};
const google = {
  url: 'https://gmailmcp.googleapis.com/mcp/v1',
  // its servers answer some requests without a token
  challenge: undefined,
  documents: {
    'https://gmailmcp.googleapis.com/.well-known/oauth-protected-resource/mcp/v1': {
      resource: 'https://gmailmcp.googleapis.com/mcp/v1',
      authorization_servers: ['https://accounts.google.com/'],
    },
    'https://accounts.google.com/.well-known/openid-configuration': {
      issuer: 'https://accounts.google.com',
      authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
      token_endpoint: 'https://oauth2.googleapis.com/token',
      revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
      code_challenge_methods_supported: ['plain', 'S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
  },
};
const slack = (issuer: string) => ({
  url: 'https://mcp.slack.com/mcp',
  challenge: 'Bearer resource_metadata="https://mcp.slack.com/.well-known/oauth-protected-resource"',
  documents: {
    'https://mcp.slack.com/.well-known/oauth-protected-resource': {
      resource: 'https://mcp.slack.com',
      authorization_servers: ['https://mcp.slack.com'],
      scopes_supported: ['search:read.public', 'chat:write'],
    },
    'https://mcp.slack.com/.well-known/oauth-authorization-server': {
      issuer,
      authorization_endpoint: 'https://slack.com/oauth/v2_user/authorize',
      token_endpoint: 'https://slack.com/api/oauth.v2.user.access',
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
  },
});

type Shape = { url: string; challenge: string | undefined; documents: Record<string, Record<string, unknown>> };

function discover({ url, challenge, documents }: Shape) {
  return discoverSignIn({ url, allowAddresses: [] }, undefined, async (address) => {
    if (address === url && challenge) {
      return new Response('{}', { status: 401, headers: { 'www-authenticate': challenge } });
    }
    const body = documents[address];
    return new Response(JSON.stringify(body ?? {}), { status: body ? 200 : 404 });
  });
}

test.each([
  ['GitHub', github, 'https://github.com/login/oauth/access_token', ['repo', 'read:org']],
  ['Google', google, 'https://oauth2.googleapis.com/token', []],
  [
    'Slack',
    slack('https://mcp.slack.com'),
    'https://slack.com/api/oauth.v2.user.access',
    ['search:read.public', 'chat:write'],
  ],
  [
    'Slack as slack.com',
    slack('https://slack.com'),
    'https://slack.com/api/oauth.v2.user.access',
    ['search:read.public', 'chat:write'],
  ],
] as const)(
  'the metadata of %s is understood, and needs no confirmation',
  async (_name, shape: Shape, tokenEndpoint, scopes) => {
    const { authorizationServer, ...found } = await discover(shape);
    expect(authorizationServer).toMatchObject({ token_endpoint: tokenEndpoint });
    expect(authorizationServer).not.toHaveProperty('registration_endpoint');
    expect(found.scopes).toEqual(scopes);
    expect(doubtsOf({ resource: found.resource, server: authorizationServer })).toEqual([]);
  },
);

test('what is allowed to these providers is allowed to no other', async () => {
  const [resource, server] = Object.entries(slack('').documents);
  const elsewhere = (text: string) => text.replaceAll('mcp.slack.com', 'mcp.evil.test');
  const foreign = (issuer: string) => ({
    url: 'https://mcp.evil.test/mcp',
    challenge: elsewhere(slack('').challenge),
    documents: Object.fromEntries(
      [resource, server].map((entry) => [
        elsewhere(entry?.[0] ?? ''),
        { ...JSON.parse(elsewhere(JSON.stringify(entry?.[1]))), issuer },
      ]),
    ),
  });
  const doubts = async (issuer: string) => {
    const { resource: bound, authorizationServer } = await discover(foreign(issuer));
    return doubtsOf({ resource: bound, server: authorizationServer });
  };
  // both are named in full
  await expect(discover(foreign('https://slack.com'))).rejects.toThrow(
    'https://mcp.evil.test presents the metadata of another issuer, https://slack.com',
  );
  expect(await doubts('https://mcp.evil.test')).toEqual(['other-origins']);
  // the slash after an origin is the same issuer, a path is not
  expect(await doubts('https://mcp.evil.test/')).toEqual(['other-origins']);
  await expect(discover(foreign('https://mcp.evil.test/tenant'))).rejects.toThrow('another issuer');

  const elsewhereServer = { url: 'https://mcp.evil.test/mcp', challenge: undefined };
  const resourceOf = (issuer: string) => ({
    'https://mcp.evil.test/.well-known/oauth-protected-resource/mcp': {
      resource: 'https://mcp.evil.test/mcp',
      authorization_servers: [issuer],
    },
  });
  for (const [issuer, { documents }] of [
    ['https://github.com/login/oauth', github],
    ['https://accounts.google.com/', google],
    ['https://mcp.slack.com', slack('https://mcp.slack.com')],
  ] as const) {
    const found = await discover({ ...elsewhereServer, documents: { ...documents, ...resourceOf(issuer) } });
    expect(doubtsOf({ resource: found.resource, server: found.authorizationServer }), issuer).toEqual(['other-site']);
  }
});

test('Google is asked for a refresh token in its own way, and no other provider is', () => {
  expect(refreshParameters('https://accounts.google.com/o/oauth2/v2/auth')).toEqual({
    access_type: 'offline',
    prompt: 'consent',
  });
  expect(refreshParameters('https://github.com/login/oauth/authorize')).toEqual({});
});

test.each([
  // GitHub and Slack refuse with status 200
  [{ error: 'bad_refresh_token' }, 400, { error: 'invalid_grant' }],
  [{ ok: false, error: 'invalid_client_id' }, 400, { error: 'invalid_client' }],
  [{ ok: false, error: 'ratelimited' }, 400, { error: 'ratelimited' }],
  [{ ok: true, access_token: 'xoxp-1', token_type: 'user' }, 200, { access_token: 'xoxp-1', token_type: 'Bearer' }],
  [
    { ok: true, authed_user: { access_token: 'xoxp-2', token_type: 'user', refresh_token: 'xoxe-1' } },
    200,
    { access_token: 'xoxp-2', token_type: 'Bearer', refresh_token: 'xoxe-1' },
  ],
  [
    { access_token: 'gho_1', token_type: 'bearer', scope: 'repo,gist' },
    200,
    { access_token: 'gho_1', token_type: 'bearer' },
  ],
])('the response %j of a token endpoint is read according to the standard', async (body, status, expected) => {
  const { response: answer } = await asTokenAnswer(new Response(JSON.stringify(body)));
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject(expected);
});
