import { errorCatalogue, type ErrorBody, type ErrorCode } from '@souk/contract/errors.ts';
import { isDatabaseLost } from '../../db/database-errors.ts';
import { SoukError } from '../../errors.ts';
import { asRecord } from '../../json.ts';

const fastifyCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
};

/** Time after which a client should retry. A restarting database is back within seconds. */
export const retryAfterSeconds = 5;

export type RenderedError = { status: number; body: ErrorBody; unexpected: boolean };

/**
 * Turns an error into an answer, as the only place: {success: false, code, message} with the catalogue's text, or
 * 'An unexpected error occurred' with a request id for every other error (clarifications, Errors).
 */
export function renderError(error: unknown, requestId: string): RenderedError {
  if (error instanceof SoukError) {
    return {
      status: error.status,
      body: {
        success: false,
        code: error.code,
        message: error.message,
        ...(error.issues && { issues: error.issues }),
        ...(error.current && { current: error.current }),
        ...(error.price && { price: error.price }),
        ...(error.reason && { reason: error.reason }),
        ...(error.code === 'unexpected' && { requestId }),
      },
      unexpected: error.code === 'unexpected',
    };
  }
  // The client hung up while sending its body: not our error. This comes first, because its code is ECONNRESET, as for a
  // lost database connection.
  if (error instanceof Error && error.message === 'aborted')
    return known('invalid_request', 'The request ended early.');
  if (isDatabaseLost(error)) return { ...known('unavailable'), unexpected: true };
  const fields: { code?: unknown; statusCode?: unknown } = asRecord(error) ?? {};
  const code = typeof fields.code === 'string' ? fastifyCodes[fields.code] : undefined;
  if (code) return known(code);
  if (error instanceof SyntaxError && fields.statusCode === 400) return known('invalid_json');
  if (fields.statusCode === 429) return known('rate_limited');
  if (typeof fields.statusCode === 'number' && fields.statusCode >= 400 && fields.statusCode < 500) {
    const rendered = known('invalid_request', 'The request cannot be read.');
    return { ...rendered, status: fields.statusCode };
  }
  const rendered = known('unexpected');
  return { ...rendered, body: { ...rendered.body, requestId }, unexpected: true };
}

function known(code: ErrorCode, text?: string): RenderedError {
  const { status, message } = errorCatalogue[code];
  return { status, body: { success: false, code, message: text ?? message ?? code }, unexpected: false };
}
