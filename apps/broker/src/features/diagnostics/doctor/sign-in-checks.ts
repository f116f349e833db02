import { describeAnswer, failed, fieldOf, passed, textField, type Check, type Patient } from './check.ts';
import type { DoctorHttp } from './http.ts';

const redirectUri = 'http://127.0.0.1/souk-connection-doctor';
/** Any S256 challenge: no code is ever redeemed. */
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const passOn = 'Let the proxy pass everything under /oauth/ on to the broker, bodies and query strings unchanged.';

/** Metadata of the throw-away client. The self-test also removes the registration by it. */
export function throwAwayClient(clientName: string) {
  return { client_name: clientName, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
}

async function register({ clientName }: Patient, http: DoctorHttp) {
  return http.send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(throwAwayClient(clientName)),
  });
}

export const registrationCheck: Check = {
  id: 'registration',
  name: 'Clients can register',
  needs: ['public-url', 'ready'],
  async run(patient, http) {
    const answer = await register(patient, http);
    return answer.status === 201 && textField(answer.json, 'client_id') !== undefined
      ? passed('A test client could register.')
      : failed(`A registration was answered with ${describeAnswer(answer)}.`, passOn);
  },
};

/** prompt=none shows no page, but the answer proves that the endpoint, its query and iss work. */
export const authorizeCheck: Check = {
  id: 'authorize',
  name: 'The sign-in page can be reached',
  needs: ['registration'],
  async run(patient, http) {
    // the same metadata gives the same client
    const clientId = textField((await register(patient, http)).json, 'client_id') ?? '';
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: `${patient.baseUrl}/mcp`,
      prompt: 'none',
    });
    const answer = await http.send(`/oauth/authorize?${query.toString()}`, { headers: { accept: 'text/html' } });
    const back = URL.parse(answer.header('location') ?? '');
    if (answer.status !== 303 || back?.origin !== new URL(redirectUri).origin) {
      return failed(`/oauth/authorize gave ${describeAnswer(answer)}.`, passOn);
    }
    const issuer = back.searchParams.get('iss');
    return issuer === patient.baseUrl
      ? passed('The sign-in endpoint answers the client and names the right issuer.')
      : failed(`Its answers name the issuer ${issuer}, not ${patient.baseUrl}.`, `Set PUBLIC_URL=${patient.baseUrl}.`);
  },
};

export const tokenEndpointCheck: Check = {
  id: 'token-endpoint',
  name: 'The token endpoint answers in JSON',
  needs: ['registration'],
  async run(patient, http) {
    const clientId = textField((await register(patient, http)).json, 'client_id') ?? '';
    const answer = await http.send('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: 'a-code-that-does-not-exist',
        redirect_uri: redirectUri,
        code_verifier: 'v'.repeat(43),
      }).toString(),
    });
    return answer.status === 400 && textField(answer.json, 'error') === 'invalid_grant'
      ? passed('A wrong code is refused with invalid_grant, as OAuth requires.')
      : failed(`A wrong code was answered with ${describeAnswer(answer)} instead of invalid_grant.`, passOn);
  },
};

export const keysCheck: Check = {
  id: 'keys',
  name: 'The public keys can be read',
  needs: ['public-url'],
  async run(_patient, http) {
    const answer = await http.send('/oauth/jwks');
    const keys = fieldOf(answer.json, 'keys');
    return answer.status === 200 && Array.isArray(keys) && keys.length > 0
      ? passed(`A client can read ${keys.length === 1 ? '1 public key' : `${keys.length} public keys`}.`)
      : failed(`/oauth/jwks gave ${describeAnswer(answer)}.`, passOn);
  },
};
