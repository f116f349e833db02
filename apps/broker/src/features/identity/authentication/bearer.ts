/** Returns the Bearer token of an Authorization header, without pasted spaces. No other place may carry a token. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w~+/.=-]+) *$/i.exec(authorization ?? '')?.[1];
}
