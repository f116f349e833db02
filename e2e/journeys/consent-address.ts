export const consentRedirectUri = 'http://127.0.0.1:53682/callback';

/** Registers a client. Returns the address that it opens in the browser to be allowed, without the origin. */
export async function consentAddress(publicUrl: string, path = '/mcp'): Promise<string> {
  const answer = await fetch(`${publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'A client', redirect_uris: [consentRedirectUri] }),
  });
  const registered: { client_id?: string } = Object(await answer.json());
  const query = new URLSearchParams({
    client_id: registered.client_id ?? '',
    response_type: 'code',
    redirect_uri: consentRedirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: publicUrl + path,
  });
  return `/oauth/authorize?${query}`;
}
