/** An error of the SDK for the log: without its headers, its raw body and anything that looks like a key. */
export class ProviderFailure extends Error {
  /** The SDK's type, such as StripeConnectionError. */
  readonly type: string;
  /** The provider's code, such as resource_missing. */
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /**
   * The id of the earlier request with the same Idempotency-Key whose stored answer this is. The provider also stores its own
   * failures and refusals, so the key never gets another answer.
   */
  readonly storedFrom: string | undefined;

  constructor(error: {
    type: string;
    message: string;
    code?: string | undefined;
    param?: string | undefined;
    statusCode?: number | undefined;
    requestId?: string | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
  }) {
    super(error.message.replace(/\b(sk|rk|pk|whsec)_\S+/g, '$1_…'));
    this.name = 'ProviderFailure';
    this.type = error.type;
    this.code = error.code;
    this.param = error.param;
    this.status = error.statusCode;
    this.requestId = error.requestId;
    const isStored = error.headers?.['idempotent-replayed'] === 'true' && (error.statusCode ?? 0) >= 400;
    this.storedFrom = isStored ? error.headers?.['original-request'] : undefined;
  }
}

const operator = 'the operator of this shop';

/** Tells the user what to do about a request that the payment provider refuses, and would refuse again. */
export function refusalText({ code, message, requestId }: ProviderFailure): string {
  if (code === 'amount_too_small')
    return `This amount is below the payment provider's minimum. Ask ${operator} to raise the price.`;
  if (/combine currencies/i.test(message))
    return `You already pay for something here in another currency, and the payment provider allows only one currency per customer. Cancel that first, or ask ${operator}.`;
  const reference = requestId === undefined ? '' : `, and mention the request ${requestId}`;
  return `The payment provider refused this request, and trying again won't help. Nothing was charged. Tell ${operator}${reference}.`;
}
