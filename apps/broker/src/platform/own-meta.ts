/** Prefix of our keys in `_meta`, so that they never collide with a key of a server or of the protocol. */
const prefix = 'souk/';

/** Our fields in the `_meta` of an answer, by the name after the prefix. */
export type OwnFacts = {
  /** Why the call has no answer, for programs. */
  code?: string;
  /** Credits that the call needs, that the user has, and that were charged. */
  required?: number;
  available?: number;
  charged?: number;
  topUpUrl?: string;
  /** Credits of a call before its price rose, and now. */
  old?: number;
  new?: number;
  retryAfterSeconds?: number;
  /** The page to open, and the name of its server. */
  url?: string;
  server?: string;
  creditCost?: number;
  stale?: boolean;
};

/** Builds `_meta` from these facts: `souk/code` and others. */
export function ownMeta(facts: OwnFacts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [prefix + name, value]));
}

/** Credits that a call cost, and that the user has left. */
export type Receipt = { charged: number; available: number };

/** Writes the members of `_meta` for a receipt as JSON text, by hand because every charged answer has one. */
export function receiptText({ charged, available }: Receipt): string {
  return `"${prefix}charged":${charged},"${prefix}available":${available}`;
}

/** Reads a fact from a `_meta` that we wrote. */
export function ownFact(meta: Readonly<Record<string, unknown>> | undefined, name: keyof OwnFacts): unknown {
  return meta?.[prefix + name];
}

/** Removes our keys from what a server sent, since only we may set them. Returns `meta` itself if it has none. */
export function withoutOwnMeta<Meta extends Record<string, unknown>>(meta: Meta): Meta {
  for (const key in meta) {
    if (!key.startsWith(prefix)) continue;
    // the cast holds, because our keys are optional for a server
    return Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith(prefix))) as Meta;
  }
  return meta;
}
