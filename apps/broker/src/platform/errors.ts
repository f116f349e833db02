import { errorCatalogue, type ErrorBody, type ErrorCode } from '@souk/contract/errors.ts';

export type Issue = { path: string; message: string };

/**
 * A failure that the caller may see: a code of the contract's catalogue with its public text.
 * `cause` is private: it goes to the log, never into an answer.
 */
export class SoukError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly current: ErrorBody['current'];
  readonly price: ErrorBody['price'];
  readonly reason: ErrorBody['reason'];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    options: {
      message?: string;
      issues?: Issue[];
      current?: ErrorBody['current'];
      price?: ErrorBody['price'];
      reason?: ErrorBody['reason'];
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(options.message ?? errorCatalogue[code].message ?? code, { cause: options.cause });
    this.name = 'SoukError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.issues = options.issues;
    this.current = options.current;
    this.price = options.price;
    this.reason = options.reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
