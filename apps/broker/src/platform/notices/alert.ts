/** Something that an operator should look at, while it lasts. */
export type Alert = {
  /** Stays the same while it lasts; no more than one message an hour has the same. */
  cause: string;
  /** One sentence or two: what is wrong. Nothing secret, and of people no more than how many. */
  text: string;
  /** Where an administrator looks, on this shop. */
  path: string;
  /** It is told when it begins, and not again while it lasts; by default it is, each day. */
  once?: boolean;
};
