/** Our own keys in `_meta` have this prefix, so that they never meet a key of a server or of the protocol. */
const prefix = 'souk/';

/** What we tell a client in `_meta`, by the name after the prefix. */
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
  /** The page to open, and the name of the server that it is about. */
  url?: string;
  server?: string;
  creditCost?: number;
  stale?: boolean;
};

/** The `_meta` for these facts: `souk/code` and its kin. */
export function ownMeta(facts: OwnFacts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [prefix + name, value]));
}

/** What a call of a tool with a price cost, and what the user has left for other calls. Credits. */
export type Receipt = { charged: number; available: number };

/** The members of `_meta` for a receipt, as JSON text. Built by hand: every charged answer has one. */
export function receiptText({ charged, available }: Receipt): string {
  return `"${prefix}charged":${charged},"${prefix}available":${available}`;
}

/** One of our facts in a `_meta` that we wrote. */
export function ownFact(meta: Readonly<Record<string, unknown>> | undefined, name: keyof OwnFacts): unknown {
  return meta?.[prefix + name];
}

/** Removes our keys from what a server sent: only we may say what they say. Returns `meta` itself if it has none. */
export function withoutOwnMeta<Meta extends Record<string, unknown>>(meta: Meta): Meta {
  for (const key in meta) {
    if (!key.startsWith(prefix)) continue;
    // why the cast: every key of ours is optional for a server
    return Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith(prefix))) as Meta;
  }
  return meta;
}
