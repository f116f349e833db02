import { endpointsOf, type AuthorizationServer } from './authorization-server.ts';
import { isSameIssuer } from './known-providers.ts';

/** A server with the authorization server at which its people sign in. */
export type Pair = { resource: string; server: AuthorizationServer };

/** What an administrator confirms: for which server, and where people, codes and secrets go. */
export type IssuerPlace = {
  /** What tokens are asked for. It has the server's own origin. */
  resource: string;
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Of all endpoints, where it is not the issuer's own. */
  origins: string[];
};

export function placeOf({ resource, server }: Pair): IssuerPlace {
  const own = new URL(server.issuer).origin;
  const origins = new Set(endpointsOf(server).map((endpoint) => new URL(endpoint).origin));
  origins.delete(own);
  return {
    resource,
    issuer: server.issuer,
    authorizationEndpoint: server.authorization_endpoint,
    tokenEndpoint: server.token_endpoint,
    origins: [...origins].toSorted(),
  };
}

/** Whether what was confirmed is still so. An authorization server may offer less than then, and more at the same origins. */
export function isWithin(found: IssuerPlace, confirmed: IssuerPlace): boolean {
  return (
    found.resource === confirmed.resource &&
    isSameIssuer(found.issuer, confirmed.issuer) &&
    found.authorizationEndpoint === confirmed.authorizationEndpoint &&
    found.tokenEndpoint === confirmed.tokenEndpoint &&
    found.origins.every((origin) => confirmed.origins.includes(origin))
  );
}
