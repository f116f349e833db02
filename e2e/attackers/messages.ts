/** First message from the suite to its attacker. */
export type AttackStart = {
  publicUrl: string;
  /** The attacker's personal token. Their account and access token of the web app follow. */
  token: string;
  userId: string;
  accessToken: string;
};
