/** A mail server or the receiver of alerts did not accept a notice. The message contains no address and no secret. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether retrying is useless, because the address does not exist. */
  readonly isPermanent: boolean;
  /** Whether no notice can be sent now, so that others need not be tried. */
  readonly isOutage: boolean;
  constructor(message: string, { isPermanent, isOutage }: { isPermanent: boolean; isOutage: boolean }) {
    super(message);
    this.isPermanent = isPermanent;
    this.isOutage = isOutage;
  }
}
