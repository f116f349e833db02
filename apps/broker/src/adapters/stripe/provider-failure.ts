/** What an error of the SDK says, without its headers, its raw body and anything that looks like a key: it is logged. */
export class ProviderFailure extends Error {
  /** Of the SDK, such as StripeConnectionError. */
  readonly type: string;
  /** Of the provider, such as resource_missing. */
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly status: number | undefined;
  /** By which the provider finds the request in its log. */
  readonly requestId: string | undefined;
  /**
   * This is the answer to an earlier request with the same Idempotency-Key, of which this is the id: the provider keeps a
   * failure of its own and a refusal like any answer, and the key never leads to another one.
   */
  readonly keptFrom: string | undefined;

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
    const isKept = error.headers?.['idempotent-replayed'] === 'true' && (error.statusCode ?? 0) >= 400;
    this.keptFrom = isKept ? error.headers?.['original-request'] : undefined;
  }
}
