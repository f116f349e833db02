/** A mail server or the receiver of alerts did not accept a notice. The message contains no address and no secret. */
export class NotTakenError extends Error {
  override name = 'NotTakenError';
  /** Retrying is useless, because the address does not exist. */
  readonly isForGood: boolean;
  /** Nothing can be sent now, so that other notices need not be tried. */
  readonly isAway: boolean;
  constructor(message: string, { isForGood, isAway }: { isForGood: boolean; isAway: boolean }) {
    super(message);
    this.isForGood = isForGood;
    this.isAway = isAway;
  }
}
