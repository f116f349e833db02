/** Start data for the attacker of one broker. */
export type AttackStart = {
  /** Port of the broker itself. */
  port: number;
  /** Host by which clients know the shop. */
  host: string;
  /** Personal token of an attacker with an ordinary account. */
  token: string;
  /** Number of sockets that pipeline concurrently. */
  pipelines: number;
  /** Number of connections that the attacker holds without a request. */
  idleConnections: number;
};
