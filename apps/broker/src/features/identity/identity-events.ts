/**
 * What identity tells of clients that sign in, for a feature that follows them (diagnostics). app.ts joins the two.
 * The web app's own sign-ins are not told. No event carries a token, a code or a secret. Listeners return at once and
 * never throw.
 */
export type IdentityEvents = {
  /** A client's authorization request is valid, and its pages begin. */
  signInBegan(event: NamedClient & { signInId: string; userId: string | undefined; address: string }): void;
  /** An authorization request ended in an error, or the person denied it. */
  authorizationRefused(event: AuthorizationRefusal): void;
  /** The person allowed the client; `signInId` is absent where no page was shown. */
  consentGiven(event: NamedClient & { signInId: string | undefined; grantId: string; userId: string }): void;
  /** A client got tokens for its code or its refresh token. `userAgent` is that of the program that redeemed a code. */
  tokenIssued(event: NamedClient & { grantId: string; userId: string; userAgent: string | undefined }): void;
  /** The token endpoint refused a client's code or refresh token. */
  tokenRefused(event: TokenRequestRefusal): void;
  /** A code or refresh token was used a second time, which ended its sign-in. */
  reuseDetected(event: { grantId: string }): void;
  /** A client's metadata document could not be fetched: `hasCopy` where there is one to use in its place. */
  documentFailed(event: { clientId: string; knownName: string | undefined; fault: string; hasCopy: boolean }): void;
  /** A client's metadata document was fetched. */
  documentFetched(event: { clientId: string }): void;
};

/** A client, and the name that it gave itself, where it gave one. */
export type NamedClient = { clientId: string; clientName?: string };

export type AuthorizationRefusal = {
  client: NamedClient;
  /** Absent where the request was refused before a page was shown. */
  signInId: string | undefined;
  /** Absent where the browser is not signed in here. */
  userId: string | undefined;
  /** OAuth's code. */
  error: string;
  description: string | undefined;
  /** Host of the redirect that was asked for, and of those that are registered. */
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
  /** Looks up whose code or refresh token it was; undefined where that is not known. */
  findGrant(): Promise<RefusedGrant | undefined>;
};

/** The sign-in behind a code or refresh token that was refused. */
export type RefusedGrant = {
  kind: 'code' | 'refresh-token';
  grantId: string;
  userId: string;
  clientId: string;
  /** The link that the person allowed it for. */
  resource: string | undefined;
  isExpired: boolean;
  isUsed: boolean;
};
