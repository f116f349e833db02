import { expect, test } from 'vitest';
import { whatIsAtStake, type IssuerQuestion } from './what-is-at-stake.ts';

const question: IssuerQuestion = {
  name: 'Vault',
  named: {
    resource: 'https://mcp.vault.example/mcp',
    issuer: 'https://id.service.example/tenant',
    authorizationEndpoint: 'https://id.service.example/authorize',
    tokenEndpoint: 'https://login.service.example/token',
    origins: ['https://login.service.example'],
  },
  doubts: [],
  isOperators: false,
  isChange: false,
};

test('each reason to ask is shown with its addresses', () => {
  expect(whatIsAtStake(question)).toEqual([]);
  const texts = whatIsAtStake({
    ...question,
    doubts: ['other-site', 'other-origins', 'no-pkce'],
    isOperators: true,
    isChange: true,
  });
  expect(texts).toHaveLength(5);
  const [client, site, origins, pkce, change] = texts;
  expect(client).toContain('secret of your client go to https://login.service.example/token');
  expect(site).toContain('Vault is at mcp.vault.example and sends people to https://id.service.example/tenant');
  expect(site).toContain('tokens that let it act there in their name');
  expect(origins).toContain('also uses https://login.service.example.');
  expect(pkce).toContain("doesn't say that it supports PKCE");
  expect(change).toContain('sign in again');
});
