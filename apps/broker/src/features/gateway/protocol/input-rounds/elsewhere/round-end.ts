import { ProtocolError } from '@modelcontextprotocol/server';
import { parseExactly } from '#platform/json/exact-numbers.ts';
import { asRecord } from '#platform/json.ts';

export type RoundEnd = { answer: object } | { error: ProtocolError };

export function writeEnd(end: RoundEnd): string {
  if ('answer' in end) return JSON.stringify(end);
  const { code, message, data } = end.error;
  return JSON.stringify({ error: { code, message, data } });
}

export function readEnd(text: string): RoundEnd {
  const { answer, error } = asRecord(parseExactly(text)) ?? {};
  if (asRecord(answer)) return { answer: Object(answer) };
  const { code, message, data } = asRecord(error) ?? {};
  return { error: ProtocolError.fromError(Number(code), String(message), data) };
}
