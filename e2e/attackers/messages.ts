/** First message from the suite to its attacker. */
export type AttackStart = {
  publicUrl: string;
  /** Personal token of the attacker. Their account and access token of the web app follow. */
  token: string;
  userId: string;
  accessToken: string;
};
