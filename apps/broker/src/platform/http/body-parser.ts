import { errorCodes, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { SoukError } from '../errors.ts';
import { GatheredBytes } from '../gathered-bytes.ts';
import { markLongNumbers, withExactNumbers } from '../json/exact-numbers.ts';
import { scanJson } from '../json/scan-json.ts';
import { maxJsonDepth } from './json-depth.ts';

/** Limit of REST bodies. The MCP endpoints have their own. */
export const maxBodyBytes = 256 * 1024;

type BodyParser<T> = (request: FastifyRequest, payload: IncomingMessage) => Promise<T>;

/**
 * A parser for `addContentTypeParser` that reads the whole body first. Fastify's own (`parseAs`) keeps each piece as it
 * arrived: 64,000 chunks of one byte took 15 MB, even from a client without sign-in.
 * @param largest size in bytes above which reading stops, and the answer is 413. A route may have a lower `bodyLimit`.
 */
export function bodyParser<T>(largest: number, read: (bytes: Buffer) => T): BodyParser<T> {
  return async ({ headers, routeOptions }, payload) => {
    const limit = Math.min(largest, routeOptions.bodyLimit ?? largest);
    if (Number(headers['content-length']) > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    return read(await gather(payload, limit));
  };
}

function gather(payload: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes();
    const stop = () => payload.off('data', take).off('end', end).off('error', fail);
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    const take = (piece: Buffer) => {
      gathered.add(piece);
      if (gathered.length > limit) fail(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    };
    const end = () => {
      stop();
      resolve(gathered.take());
    };
    payload.on('data', take).on('end', end).on('error', fail).resume();
  });
}

/** @throws SoukError too_deep, invalid_request, invalid_json */
export function readJsonBody(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (text === '') return undefined;
  const { isTooDeep, hasLongNumber } = scanJson(text, maxJsonDepth);
  if (isTooDeep) throw new SoukError('too_deep');
  const body = parse(text, hasLongNumber);
  if (maySpellProto.test(text) && hasProtoField(body)) {
    throw new SoukError('invalid_request', { message: '__proto__ is not a field.' });
  }
  return body;
}

function parse(text: string, hasLongNumber: boolean): unknown {
  try {
    // fields of the contract refuse numbers that do not fit a double; arguments of tools keep them
    return hasLongNumber ? withExactNumbers(JSON.parse(markLongNumbers(text))) : JSON.parse(text);
  } catch (error) {
    throw new SoukError('invalid_json', { cause: error });
  }
}

/** Matches the word, or an escape that may stand for one of its letters. */
const maySpellProto = /__proto__|\\u00[5-7]/;

/** Whether a field at any depth has this name. As a value, it is allowed. */
function hasProtoField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoField);
}
