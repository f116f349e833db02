import { answerTooDeep, maxAnswerDepth } from '../wire/answer-limits.ts';

/** One member of the result object: from the first quote of its key to the end of its value. */
export type Member = { key: string; start: number; end: number };

/**
 * Scans a JSON-RPC answer without parsing it: refuses one that is nested too deep, and finds the members of `result` so
 * that they can be passed on unchanged. The spans are only valid for text that also parses as JSON.
 * @returns undefined unless there is exactly one result object with distinct keys
 * @throws UpstreamError bad_upstream
 */
export function scanAnswer(text: string): Member[] | undefined {
  const members: Member[] = [];
  let results = 0;
  let depth = 0;
  let inResult = false;
  let expectsKey = false;
  let outerKey = '';
  let key = '';
  let keyStart = -1;

  const endMember = (end: number) => {
    if (keyStart >= 0) members.push({ key, start: keyStart, end });
    keyStart = -1;
  };

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (expectsKey && (depth === 1 || (inResult && depth === 2))) {
          expectsKey = false;
          const name = text.slice(at + 1, end);
          if (depth === 1) outerKey = name;
          else {
            key = name;
            keyStart = at;
          }
        }
        at = end;
        break;
      }
      case openBrace:
      case openBracket:
        if (++depth > maxAnswerDepth) throw answerTooDeep();
        if (depth === 1) expectsKey = true;
        else if (depth === 2 && outerKey === 'result') {
          results++;
          inResult = text.charCodeAt(at) === openBrace;
          expectsKey = true;
        }
        break;
      case comma:
        if (inResult && depth === 2) endMember(at);
        if (depth === 1 || (inResult && depth === 2)) expectsKey = true;
        break;
      case closeBrace:
      case closeBracket:
        if (inResult && depth === 2) {
          endMember(at);
          inResult = false;
        }
        depth--;
        break;
    }
  }
  return results === 1 && haveDistinctKeys(members) ? members : undefined;
}

/** Members of a result that is passed on unchanged. The schema checks results with more. */
const maxMembers = 16;

function haveDistinctKeys(members: readonly Member[]): boolean {
  if (members.length > maxMembers) return false;
  // a key with escapes is not the member's name
  return members.every(({ key }, index) => !key.includes('\\') && !isAmongFirst(members, index, key));
}

function isAmongFirst(members: readonly Member[], count: number, key: string): boolean {
  for (let index = 0; index < count; index++) if (members[index]?.key === key) return true;
  return false;
}

/** The index of the quote that ends the string starting at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
