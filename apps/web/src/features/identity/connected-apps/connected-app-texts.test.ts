import { expect, test } from 'vitest';
import { accessSentences } from './connected-app-texts.ts';

const publicUrl = 'https://souk.example';
const all = ['openid', 'mcp:resources', 'mcp:tools', 'mcp:prompts'];
const nameOf = (serverId: string) => (serverId === 'travel' ? 'Travel' : undefined);
const say = (scopes: string[], ...resources: string[]) => accessSentences({ scopes, resources, publicUrl, nameOf });

test('access to one server names the server and what may be used', () => {
  expect(say(all, `${publicUrl}/s/travel/mcp`)).toBe("Can use Travel's tools, prompts and resources.");
  expect(say(['mcp:resources', 'mcp:tools'], `${publicUrl}/s/travel/mcp`)).toBe(
    "Can use Travel's tools and resources.",
  );
  expect(say(['mcp:tools'], `${publicUrl}/s/removed/mcp`)).toBe("Can use removed's tools.");
});

test('access to the all-servers link, and to several links', () => {
  expect(say(['mcp:tools'], `${publicUrl}/mcp`)).toBe("Can use the tools of all the services you've enabled.");
  expect(say(['mcp:tools'], `${publicUrl}/s/travel/mcp`, 'https://other.example/mcp')).toBe(
    "Can use Travel's tools. Can use tools at https://other.example/mcp.",
  );
});

test('an app without one of our scopes has no access', () => {
  expect(say(['openid'], `${publicUrl}/mcp`)).toBe('Has no access.');
});
