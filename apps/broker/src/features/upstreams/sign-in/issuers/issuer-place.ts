import { endpointsOf, type AuthorizationServer } from './authorization-server.ts';
import { isSameIssuer } from './known-providers.ts';

/** A server and the authorization server at which its users sign in. */
export type Pair = { resource: string; server: AuthorizationServer };

/** Place that an administrator confirms: the resource, and where users, codes and secrets are sent. */
export type IssuerPlace = {
  /** Resource that tokens are requested for, at the server's own origin. */
  resource: string;
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Origins of all endpoints, other than the issuer's own. */
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

/** Returns whether a confirmation still holds. Endpoints may disappear, and new ones may appear at the same origins. */
export function isWithin(found: IssuerPlace, confirmed: IssuerPlace): boolean {
  return (
    found.resource === confirmed.resource &&
    isSameIssuer(found.issuer, confirmed.issuer) &&
    found.authorizationEndpoint === confirmed.authorizationEndpoint &&
    found.tokenEndpoint === confirmed.tokenEndpoint &&
    found.origins.every((origin) => confirmed.origins.includes(origin))
  );
}
