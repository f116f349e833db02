/**
 * Events about clients that sign in, which app.ts hands to diagnostics. The web app's own sign-ins cause none. No event
 * contains a token, a code or a secret. Listeners return at once and never throw.
 */
export type IdentityEvents = {
  /** A client's authorization request is valid, and its pages begin. */
  signInBegan(event: NamedClient & { signInId: string; userId: string | undefined; address: string }): void;
  /** An authorization request ended in an error, or the user denied it. */
  authorizationRefused(event: AuthorizationRefusal): void;
  /** The user allowed the client; `signInId` is absent when no page was shown. */
  consentGiven(event: NamedClient & { signInId: string | undefined; grantId: string; userId: string }): void;
  /** A client got tokens for its code or refresh token. `userAgent`: the program that redeemed a code. */
  tokenIssued(event: NamedClient & { grantId: string; userId: string; userAgent: string | undefined }): void;
  /** The token endpoint refused a client's code or refresh token. */
  tokenRefused(event: TokenRequestRefusal): void;
  /** A code or refresh token was used twice, which ended its sign-in. */
  reuseDetected(event: { grantId: string }): void;
  /** A client's metadata document could not be fetched. `hasCopy`: a stored copy is used instead. */
  documentFailed(event: { clientId: string; knownName: string | undefined; fault: string; hasCopy: boolean }): void;
  documentFetched(event: { clientId: string }): void;
};

/** A client with the name that it gave itself, if any. */
export type NamedClient = { clientId: string; clientName?: string };

export type AuthorizationRefusal = {
  client: NamedClient;
  /** Absent when the request was refused before a page was shown. */
  signInId: string | undefined;
  /** Absent when the browser is not signed in here. */
  userId: string | undefined;
  /** OAuth's error code. */
  error: string;
  description: string | undefined;
  /** Host of the requested redirect, and of the registered ones. */
  askedHost: string;
  registeredHosts: readonly string[];
  askedResource: string | undefined;
};

export type TokenRequestRefusal = {
  error: string;
  description: string | undefined;
  /** The proof of the code exchange was missing or wrong (RFC 7636). */
  isVerifierWrong: boolean;
  askedResource: string | undefined;
  /** Looks up the sign-in of the code or refresh token; undefined when it is unknown. */
  findGrant(): Promise<RefusedGrant | undefined>;
};

/** The sign-in behind a refused code or refresh token. */
export type RefusedGrant = {
  kind: 'code' | 'refresh-token';
  grantId: string;
  userId: string;
  clientId: string;
  /** The link that the user allowed it for. */
  resource: string | undefined;
  isExpired: boolean;
  isUsed: boolean;
};
