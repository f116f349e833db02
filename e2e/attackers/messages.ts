/** The messages between the suite and its attackers. */
export type AttackStart = {
  publicUrl: string;
  /** The attacker's personal token, and what they have signed in with to the web app. */
  token: string;
  userId: string;
  accessToken: string;
};
/** How often the broker answered what, when the attack is over. */
export type Attacked = { answered: Record<string, number> };
