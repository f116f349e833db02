/** A mail server, or the receiver of alerts, did not take a notice. The message has no address and no secret in it. */
export class NotTakenError extends Error {
  /** To try again is of no use: the address exists nowhere. */
  readonly isForGood: boolean;
  /** Nothing at all can be sent, so that other notices need not be tried now. */
  readonly isAway: boolean;
  constructor(message: string, { isForGood, isAway }: { isForGood: boolean; isAway: boolean }) {
    super(message);
    this.name = 'NotTakenError';
    this.isForGood = isForGood;
    this.isAway = isAway;
  }
}
