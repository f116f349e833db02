import { createServer } from 'node:http';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import { listenLocally } from '#testing/listen-locally.ts';

/** What is wrong with the identity that the fake Google gives out; nothing by default. */
export type FakeGoogleFault =
  | 'none'
  | 'nonce'
  | 'audience'
  | 'issuer'
  | 'signature'
  | 'unsigned'
  | 'expired'
  | 'unverified'
  | 'no-email';

export type FakeGoogle = {
  issuer: string;
  person: { sub: string; email: string; name: string };
  fault: FakeGoogleFault;
  close(): Promise<void>;
};

/** An OpenID provider that signs everybody in without a question and can be told to lie in its identity token. */
export async function startFakeGoogle(clientId: string): Promise<FakeGoogle> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', google.issuer);
    const json = (body: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    };
    if (url.pathname === '/.well-known/openid-configuration') {
      return json({
        issuer: google.issuer,
        authorization_endpoint: `${google.issuer}/authorize`,
        token_endpoint: `${google.issuer}/token`,
        jwks_uri: `${google.issuer}/jwks`,
        userinfo_endpoint: `${google.issuer}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (url.pathname === '/jwks') return json({ keys: [jwk] });
    if (url.pathname === '/userinfo') return json({ sub: google.person.sub });
    if (url.pathname === '/authorize') {
      const code = crypto.randomUUID();
      nonces.set(code, url.searchParams.get('nonce') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href });
      return response.end();
    }
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const nonce = nonces.get(new URLSearchParams(text).get('code') ?? '') ?? '';
      void identityToken(nonce).then((token) =>
        json({ access_token: 'upstream-access-token', token_type: 'Bearer', expires_in: 300, id_token: token }),
      );
    });
    return undefined;
  });

  function identityToken(nonce: string): Promise<string> | Promise<never> {
    const { fault, person } = google;
    const claims = {
      ...(fault !== 'no-email' && { email: person.email, email_verified: fault !== 'unverified' }),
      name: person.name,
      nonce: fault === 'nonce' ? 'another' : nonce,
    };
    const issuer = fault === 'issuer' ? 'https://evil.test' : google.issuer;
    const audience = fault === 'audience' ? 'another-client' : clientId;
    if (fault === 'unsigned') {
      const unsigned = new UnsecuredJWT({ ...claims, sub: person.sub, iss: issuer, aud: audience })
        .setIssuedAt()
        .setExpirationTime('5m')
        .encode();
      return Promise.resolve(unsigned);
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setSubject(person.sub)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(fault === 'expired' ? '-2h' : undefined)
      .setExpirationTime(fault === 'expired' ? '-1h' : '5m')
      .sign(fault === 'signature' ? stranger.privateKey : privateKey);
  }

  const listening = await listenLocally(server);
  const google: FakeGoogle = {
    issuer: `http://127.0.0.1:${listening.port}`,
    person: { sub: 'google-1', email: 'Real@Person.test', name: 'Real Person' },
    fault: 'none',
    close: () => listening.close(),
  };
  return google;
}
