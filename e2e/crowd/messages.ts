/** What the attackers of one broker need. */
export type AttackStart = {
  /** The broker's own port. */
  port: number;
  /** The host by which clients know the shop. */
  host: string;
  /** Personal token of an attacker with an ordinary account. */
  token: string;
  /** Sockets that pipeline at a time. */
  pipelines: number;
  /** Connections that the attacker holds without a request. */
  idleConnections: number;
};
/** How often the broker answered what, when the attack is over. */
export type Attacked = { answered: Record<string, number> };
