import { createServer } from 'node:http';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import { listenLocally } from '#testing/servers/listen-locally.ts';

/** Faults in the responses of the fake Google, mostly in the identity token; none by default. */
export type FakeGoogleFault =
  | 'none'
  | 'nonce'
  | 'audience'
  | 'issuer'
  | 'signature'
  | 'unsigned'
  | 'expired'
  | 'unverified'
  | 'no-email'
  | 'hmac'
  | 'other-client'
  | 'wrong-state'
  | 'no-state'
  | 'denied'
  /** A gateway in front of Google is down and returns its HTML page instead of JSON. */
  | 'html'
  | 'html-200'
  /** The provider does not accept the client's secret, and says so with a challenge: RFC 6749, section 5.2. */
  | 'secret'
  /** The provider refuses without naming an error. */
  | 'challenge'
  /** The clock of the provider, and every time that it issues, is ten minutes behind. */
  | 'clock';

const accessToken = 'upstream-access-token';
const skewMs = -600_000;

export type FakeGoogle = {
  issuer: string;
  person: { sub: string; email: string; name: string };
  fault: FakeGoogleFault;
  /** Every code and token that it issued. */
  issued: string[];
  close(): Promise<void>;
};

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
/** Keys of the provider, and those of a stranger: created once per process, because RSA takes long. */
const keys = new Map<string, Promise<[KeyPair, KeyPair]>>();

function keysOf(algorithm: string): Promise<[KeyPair, KeyPair]> {
  const made =
    keys.get(algorithm) ?? Promise.all([generateKeyPair(algorithm, { extractable: true }), generateKeyPair(algorithm)]);
  keys.set(algorithm, made);
  return made;
}

/**
 * Starts an OpenID provider with Google's shapes that signs every visitor in without a question, and can return false
 * data.
 * @param options.algorithm algorithm of its identity tokens; Google's is RS256
 * @param options.announced algorithms in its metadata; null for none
 */
export async function startFakeGoogle(
  clientId: string,
  { algorithm = 'RS256', announced = [algorithm] }: { algorithm?: string; announced?: readonly string[] | null } = {},
): Promise<FakeGoogle> {
  const [{ publicKey, privateKey }, stranger] = await keysOf(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: algorithm, use: 'sig' };
  const nonces = new Map<string, string>();

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', google.issuer);
    const isPage = google.fault === 'html' || google.fault === 'html-200';
    if (google.fault === 'clock') response.setHeader('date', new Date(Date.now() + skewMs).toUTCString());
    const json = (body: unknown) => {
      if (isPage) {
        response.writeHead(google.fault === 'html' ? 502 : 200, { 'content-type': 'text/html' });
        return response.end('<html><body><h1>Bad Gateway of google</h1></body></html>');
      }
      response.setHeader('content-type', 'application/json; charset=UTF-8');
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
        ...(announced && { id_token_signing_alg_values_supported: announced }),
      });
    }
    if (url.pathname === '/jwks') return json({ keys: [jwk] });
    if (url.pathname === '/userinfo') return json({ sub: google.person.sub });
    if (url.pathname === '/authorize') {
      const code = crypto.randomUUID();
      google.issued.push(code);
      nonces.set(code, url.searchParams.get('nonce') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      if (google.fault === 'denied') back.searchParams.set('error', 'access_denied');
      else back.searchParams.set('code', code);
      const state = google.fault === 'wrong-state' ? 'another' : (url.searchParams.get('state') ?? '');
      if (google.fault !== 'no-state') back.searchParams.set('state', state);
      back.searchParams.set('scope', 'openid email profile');
      back.searchParams.set('authuser', '0');
      response.writeHead(302, { location: back.href });
      return response.end();
    }
    if (google.fault === 'secret' || google.fault === 'challenge') {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="google"', 'content-type': 'application/json' });
      const description = `wrong: ${request.headers.authorization ?? 'none'}`;
      return response.end(
        google.fault === 'secret' ? JSON.stringify({ error: 'invalid_client', error_description: description }) : '',
      );
    }
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const nonce = nonces.get(new URLSearchParams(text).get('code') ?? '') ?? '';
      void identityToken(nonce).then((token) => {
        google.issued.push(token, accessToken);
        return json({ access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: token });
      });
    });
    return undefined;
  });

  function identityToken(nonce: string): Promise<string> | Promise<never> {
    const { fault, person } = google;
    const claims = {
      ...(fault !== 'no-email' && { email: person.email, email_verified: fault !== 'unverified' }),
      name: person.name,
      picture: 'https://lh3.googleusercontent.test/a/photo=s96-c',
      given_name: person.name.split(' ')[0],
      azp: fault === 'other-client' ? 'another-client' : clientId,
      nonce: fault === 'nonce' ? 'another' : nonce,
    };
    const issuer = fault === 'issuer' ? 'https://evil.test' : google.issuer;
    const audience =
      fault === 'audience' ? 'another-client' : fault === 'other-client' ? [clientId, 'another-client'] : clientId;
    if (fault === 'unsigned') {
      const unsigned = new UnsecuredJWT({ ...claims, sub: person.sub, iss: issuer, aud: audience })
        .setIssuedAt()
        .setExpirationTime('5m')
        .encode();
      return Promise.resolve(unsigned);
    }
    if (fault === 'hmac') {
      // signed with the public key as the secret of an HMAC
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'key' })
        .setSubject(person.sub)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(JSON.stringify(jwk)));
    }
    const nowMs = Date.now() + (fault === 'clock' ? skewMs : 0);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid: 'key' })
      .setSubject(person.sub)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(fault === 'expired' ? '-2h' : new Date(nowMs))
      .setExpirationTime(fault === 'expired' ? '-1h' : new Date(nowMs + 300_000))
      .sign(fault === 'signature' ? stranger.privateKey : privateKey);
  }

  const listening = await listenLocally(server);
  const google: FakeGoogle = {
    issuer: `http://127.0.0.1:${listening.port}`,
    person: { sub: 'google-1', email: 'Real@Person.test', name: 'Real Person' },
    fault: 'none',
    issued: [],
    close: () => listening.close(),
  };
  return google;
}
