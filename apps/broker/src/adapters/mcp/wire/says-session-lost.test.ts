import { expect, test } from 'vitest';
import { saysSessionLost } from './says-session-lost.ts';

test.each([
  'Session not found',
  'Bad Request: No valid session ID provided',
  'Invalid or missing session ID',
  'Invalid session ID',
  'Not Found: Session has been terminated',
  'Not Found: Invalid or expired session ID',
  'Could not find session',
  'Unknown MCP session',
  'session expired',
  'Session 3f2a-77 is unknown or has expired',
  'Session ID: 3f2a77b1-0c not found',
  "The session 'abc' does not exist",
  "Session doesn't exist",
  'session_id abc is no longer valid',
  'Mcp-Session-Id 77 is not recognized',
  'No active session for this client',
  'The session has ended',
  'Your session was closed',
  'Session timed out',
  'Session not initialized',
  'Bad Request: Server not initialized',
])('a lost session: %s', (message) => {
  expect(saysSessionLost(-32000, message)).toBe(true);
  expect(saysSessionLost(undefined, message)).toBe(true);
});

test.each([
  'Unknown tool: echo',
  'not today',
  'session_name is required',
  'Invalid arguments for tool session',
  'session: Invalid input: expected string, received undefined',
  '[{"code":"invalid_type","path":["session"],"message":"Invalid input"}]',
  'Too many sessions are open. The limit is unknown',
  'The database is not initialized',
  'Sessional work not found',
  'Request timed out',
  'Request timed out, and the session was closed',
])('another error: %s', (message) => {
  expect(saysSessionLost(-32000, message)).toBe(false);
});

test('a timeout of SDK 1.x is never a lost session, with any text', () => {
  for (const message of ['Request timed out', 'Session timed out', 'Session expired after a timeout']) {
    expect(saysSessionLost(-32001, message), message).toBe(false);
  }
  expect(saysSessionLost(-32001, 'Session not found')).toBe(true);
});

test('only the first 500 characters of a message are read', () => {
  expect(saysSessionLost(-32000, `${'x '.repeat(200)} session expired`)).toBe(true);
  expect(saysSessionLost(-32000, `${'x '.repeat(400)} session expired`)).toBe(false);
});
