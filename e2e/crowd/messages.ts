/** Start data for the attacker of one broker. */
export type AttackStart = {
  /** The broker's own port. */
  port: number;
  /** The host by which clients know the shop. */
  host: string;
  /** Personal token of an attacker with an ordinary account. */
  token: string;
  /** Number of sockets that pipeline at the same time. */
  pipelines: number;
  /** Number of connections that the attacker holds without a request. */
  idleConnections: number;
};
