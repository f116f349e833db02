/** A lasting problem that the operator should look at. */
export type Alert = {
  /** Stays the same while the problem lasts. At most one message an hour has the same cause. */
  cause: string;
  /** One or two sentences that say what is wrong, without secrets, and with no facts about users but their number. */
  text: string;
  /** The page of this shop where an administrator should look. */
  path: string;
  /** Whether it is reported only when it begins; by default daily while it lasts. */
  once?: boolean;
};
