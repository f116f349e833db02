/** An error as Stripe answers it. */
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

  /** The SDK recognises an error by `error` in the body alone. */
  toBody(): object {
    return { error: { type: this.type, message: this.message, ...this.details } };
  }
}

export function badRequest(message: string, details: StripeError['details'] = {}): StripeError {
  return new StripeError(400, message, details);
}

/** Another request works on the same object. The same request may be sent again. */
export function lockTimeout(): StripeError {
  const message =
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.';
  return new StripeError(429, message, { code: 'lock_timeout' });
}

/** An id that a parameter names (400), or the address (404). */
export function noSuch(what: string, id: string, param = 'id'): StripeError {
  return new StripeError(param === 'id' ? 404 : 400, `No such ${what}: '${id}'`, { code: 'resource_missing', param });
}

/** Something that Stripe can do and the sandbox cannot. */
export function notImplemented(what: string, param?: string): StripeError {
  return badRequest(`The sandbox does not implement ${what}.`, param === undefined ? {} : { param });
}
