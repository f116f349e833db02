/** The token of an Authorization header, undefined for any other scheme. Tokens are taken from nowhere else. People paste spaces. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w~+/.=-]+) *$/i.exec(authorization ?? '')?.[1];
}
