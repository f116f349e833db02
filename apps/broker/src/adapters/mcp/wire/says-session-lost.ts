/** Characters of a message that are read: the rest may be a stack trace or a page. */
const maxChars = 500;
/** A phrase is about the session within this many words of "session". */
const nearby = 8;

/** "session", "sessionId", "session_id", "Mcp-Session-Id", but not parameters such as `session_name`. */
const sessionWord = /^(?:mcp-)?session(?:s|[_-]?ids?)?$/;

const afterIt = [
  'not found',
  'not valid',
  'not exist',
  "doesn't exist",
  'not active',
  'not initialized',
  'not recognized',
  'is invalid',
  'unknown',
  'unrecognized',
  'inactive',
  'expired',
  'ended',
  'terminated',
  'closed',
  'lost',
  'gone',
  'no longer',
  'timed out',
];
const beforeIt = [
  'unknown',
  'unrecognized',
  'inactive',
  'expired',
  'stale',
  'terminated',
  'no such',
  'no valid',
  'no active',
  'not find',
  'not a valid',
];
/** Only right before or after the word: "invalid arguments of the session tool" is another error. */
const invalid = ['invalid', 'invalid mcp', 'invalid or missing', 'missing or invalid'];

/** The message of SDK 1.x when a restarted server has one transport for all clients. */
const notInitialized = ['server not initialized', 'server is not initialized'];

/** The code of a timeout in SDK 1.x, which also uses it for a lost session. */
const timeoutCode = -32001;
const timeout = /tim(?:ed|e)[ -]?out/;
const requestTimeout = /request tim(?:ed|e)[ -]?out/;

/**
 * Whether an error says that the session is unknown, expired or has ended. Servers use many codes and words for that. A
 * timeout does not count: the call may still be running.
 * @param code the JSON-RPC code; undefined for an HTTP error with another body
 */
export function saysSessionLost(code: number | undefined, message: string): boolean {
  const text = inUsSpelling(message.slice(0, maxChars).toLowerCase().replaceAll('’', "'"));
  if (requestTimeout.test(text) || (code === timeoutCode && timeout.test(text))) return false;
  // each clause by itself: not across sentences, or members of a list or of JSON
  return text.split(/[.,;[\]{}\n]/).some(saysLost);
}

const inUsSpelling = (text: string) => text.replaceAll(/(initial|recogn)ised/g, '$1ized');

function saysLost(clause: string): boolean {
  const words = clause.split(/[^a-z0-9_'-]/).filter((word) => word !== '');
  if (hasPhrase(words, notInitialized)) return true;
  return words.some((word, at) => {
    if (!sessionWord.test(word)) return false;
    const before = words.slice(Math.max(0, at - nearby), at);
    const after = words.slice(at + 1, at + 1 + nearby);
    if (hasPhrase(before, beforeIt) || hasPhrase(after, afterIt) || endsInvalid(after)) return true;
    const ahead = ` ${before.join(' ')}`;
    return invalid.some((phrase) => ahead.endsWith(` ${phrase}`));
  });
}

/** "Session invalid", "session ID invalid". */
function endsInvalid(after: readonly string[]): boolean {
  return after.at(-1) === 'invalid' && after.length <= 2;
}

function hasPhrase(words: readonly string[], phrases: readonly string[]): boolean {
  const text = ` ${words.join(' ')} `;
  return phrases.some((phrase) => text.includes(` ${phrase} `));
}
