import { describeAnswer, failed, passed, textField, type Check } from './check.ts';

/** Any request works, because its token is checked first. This one opens no session. */
const probe = {
  method: 'POST' as const,
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
};

/** A newcomer's 401 must say where to sign in (RFC 9728 section 5.1). */
export const challengeCheck: Check = {
  id: 'challenge',
  name: 'The link asks newcomers to sign in',
  needs: ['address', 'public-url'],
  async run({ baseUrl }, http) {
    const answer = await http.send('/mcp', probe);
    if (answer.status !== 401) {
      return failed(
        `Something else answers at /mcp: it gave ${describeAnswer(answer)}, but the broker answers 401.`,
        'Let the proxy pass /mcp and /s/ on to the broker, POST included.',
      );
    }
    const challenge = answer.header('www-authenticate');
    if (challenge === undefined) {
      return failed(
        'The WWW-Authenticate header is removed on its way: clients cannot find out where to sign in.',
        'Let the proxy pass the WWW-Authenticate response header through (some need it named in a list of allowed headers).',
      );
    }
    const expected = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`;
    if (!challenge.includes(expected)) {
      return failed(
        `WWW-Authenticate does not contain ${expected}: it was changed on its way.`,
        'Let the proxy pass the WWW-Authenticate response header through as it is.',
      );
    }
    return passed('A request without a token is told where to sign in.');
  },
};

/** If there is no token to try, the answer to a wrong one shows whether the header arrived. */
export const authorizationCheck: Check = {
  id: 'authorization-header',
  name: 'The Authorization header arrives',
  needs: ['address', 'public-url'],
  async run({ token }, http) {
    const authorization = `Bearer ${token ?? 'a-token-that-does-not-exist'}`;
    const answer = await http.send('/mcp', { ...probe, headers: { ...probe.headers, authorization } });
    const code = textField(answer.json, 'code');
    const arrived = code === 'unauthenticated' || answer.header('www-authenticate')?.includes('error=') === true;
    if (answer.status === 401 && !arrived) {
      return failed(
        'The Authorization header is removed on its way: clients sign in successfully, but the broker never gets their token.',
        'Let the proxy pass the Authorization request header on to the broker (and do not let it ask for a sign-in of its own on /mcp and /s/).',
      );
    }
    if (token === undefined) {
      return answer.status === 401
        ? passed('A wrong token reaches the broker and is refused.')
        : failed(
            `A wrong token was answered with ${describeAnswer(answer)}.`,
            'Let the proxy pass /mcp on to the broker.',
          );
    }
    return answer.status === 200
      ? passed('A valid token reaches the broker and is accepted.')
      : failed(
          `A valid token was answered with ${describeAnswer(answer)}.`,
          'Check the log of the broker and of the proxy.',
        );
  },
};
