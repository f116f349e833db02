import { expect, test } from 'vitest';
import { isSameSite } from './same-site.ts';

test.each([
  ['mcp.example.com', 'mcp.example.com'],
  ['mcp.example.com', 'auth.example.com'],
  ['example.com', 'auth.example.com'],
  ['MCP.Example.com.', 'example.com'],
  ['mcp.shop.example.dev', 'id.example.dev'],
  ['mcp.example.co.uk', 'id.example.co.uk'],
  ['mcp.example.com.au', 'example.com.au'],
  ['mcp.example.de', 'example.de'],
  ['a.example.github.io', 'a.example.github.io'],
  ['10.0.0.5', '10.0.0.5'],
  // this machine belongs to its operator
  ['127.0.0.1', 'localhost'],
  ['127.0.0.1', '[::1]'],
  ['notes.localhost', '127.0.0.2'],
])('%s and %s are one site', (one, other) => {
  expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([true, true]);
});

test.each([
  ['mcp.example.com', 'auth.example.org'],
  ['example.com', 'example.com.evil.test'],
  ['myexample.com', 'example.com'],
  // public suffixes
  ['mine.co.uk', 'yours.co.uk'],
  ['co.uk', 'yours.co.uk'],
  ['mine.com.au', 'yours.com.au'],
  ['mine.uk.com', 'yours.uk.com'],
  ['mine.ca.us', 'yours.ca.us'],
  ['mine.kyoto.jp', 'yours.kyoto.jp'],
  ['mine.airport.aero', 'yours.airport.aero'],
  // shared by the customers of a host
  ['mine.workers.dev', 'yours.workers.dev'],
  ['mine.github.io', 'yours.github.io'],
  ['github.io', 'yours.github.io'],
  ['a.mine.vercel.app', 'b.mine.vercel.app'],
  ['x.s3.amazonaws.com', 'y.s3.amazonaws.com'],
  // words and addresses have no domain
  ['vault', 'auth'],
  ['10.0.0.5', '10.0.0.6'],
  ['10.0.0.5', '127.0.0.1'],
  ['[fd00::5]', '[fd00::6]'],
  ['localhost', 'example.com'],
  ['localhost.evil.test', 'localhost'],
])('%s and %s are two sites', (one, other) => {
  expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([false, false]);
});
