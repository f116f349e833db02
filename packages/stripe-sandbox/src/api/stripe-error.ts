export class StripeError extends Error {
  readonly status: number;
  readonly type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error';
  readonly details: { code?: string; param?: string; decline_code?: string };

  constructor(
    status: number,
    message: string,
    details: StripeError['details'] = {},
    type: StripeError['type'] = 'invalid_request_error',
  ) {
    super(message);
    this.name = 'StripeError';
    this.status = status;
    this.type = type;
    this.details = details;
  }

  /** Returns the body, which the SDK recognizes by its `error`. */
  toBody(): object {
    return { error: { type: this.type, message: this.message, ...this.details } };
  }
}

export function badRequest(message: string, details: StripeError['details'] = {}): StripeError {
  return new StripeError(400, message, details);
}

/** Error for an object that another request is using; the request can be retried. */
export function lockTimeout(): StripeError {
  const message =
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.';
  return new StripeError(429, message, { code: 'lock_timeout' });
}

/** Error for an unknown id in a parameter (400) or in the path (404). */
export function noSuch(what: string, id: string, param = 'id'): StripeError {
  return new StripeError(param === 'id' ? 404 : 400, `No such ${what}: '${id}'`, { code: 'resource_missing', param });
}

export function notImplemented(what: string, param?: string): StripeError {
  return badRequest(`The sandbox does not implement ${what}.`, param === undefined ? {} : { param });
}
