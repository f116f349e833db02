import { expect, test } from 'vitest';
import { readChallenge } from './read-challenge.ts';

const metadataUrl = 'https://mcp.example/.well-known/oauth-protected-resource';

test.each([
  [`Bearer resource_metadata="${metadataUrl}", scope="read write"`, { metadataUrl, scope: 'read write' }],
  [`bearer scope=read,resource_metadata="${metadataUrl}"`, { metadataUrl, scope: 'read' }],
  [`Basic realm="x", Bearer resource_metadata="${metadataUrl}"`, { metadataUrl, scope: undefined }],
  ['Bearer error_description="say \\"scope=x\\" twice"', { metadataUrl: undefined, scope: undefined }],
  ['Bearer error="x", Basic scope="y"', { metadataUrl: undefined, scope: undefined }],
  ['Basic dXNlcg==, Bearer scope = "a b" realm=x', { metadataUrl: undefined, scope: 'a b' }],
  ['Bearer scope="never ends', { metadataUrl: undefined, scope: 'never ends' }],
  ['=,"x"= Bearer ="y" scope=a', { metadataUrl: undefined, scope: undefined }],
  ['Basic realm="x"', { metadataUrl: undefined, scope: undefined }],
  [null, { metadataUrl: undefined, scope: undefined }],
])('the challenge %j', (header, challenge) => {
  expect(readChallenge(header)).toEqual(challenge);
});
