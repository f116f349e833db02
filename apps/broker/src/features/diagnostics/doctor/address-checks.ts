import { describeAnswer, failed, fieldOf, passed, skipped, textField, type Check, type Finding } from './check.ts';
import { NoAnswerError } from './http.ts';

const resourcePath = '/.well-known/oauth-protected-resource/mcp';

/** The fault behind most connectors that fail after a successful sign-in. */
function httpBehindTls(publicUrl: string, baseUrl: string, how: string): Finding {
  const right = baseUrl.replace(/^http:/, 'https:');
  return failed(
    `http behind TLS: users open ${right}, but PUBLIC_URL is ${publicUrl}${how}. Clients refuse to sign in over plain http.`,
    `Set PUBLIC_URL=${right} and restart. TLS may end at a proxy; PUBLIC_URL is what users type.`,
  );
}

function wrongPublicUrl(publicUrl: string, baseUrl: string): Finding {
  return failed(
    `Wrong PUBLIC_URL: the installation believes that it is ${publicUrl}, but users open ${baseUrl}.`,
    `Set PUBLIC_URL=${baseUrl} and restart, or give users ${publicUrl}. A proxy must pass the Host header on.`,
  );
}

function hostNotPassed(baseUrl: string): Finding {
  const { host } = new URL(baseUrl);
  return failed(
    `The proxy does not pass the Host header on: the broker answers at ${baseUrl}, but gets requests for another name.`,
    `Let the proxy pass Host: ${host} on (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).`,
  );
}

/** Says in which way `publicUrl` differs from the address that users open. */
function misplaced(publicUrl: string, baseUrl: string): Finding {
  const [ours, theirs] = [URL.parse(publicUrl), URL.parse(baseUrl)];
  const sameName = ours?.hostname === theirs?.hostname;
  return sameName && ours?.protocol === 'http:' && theirs?.protocol === 'https:'
    ? httpBehindTls(publicUrl, baseUrl, '')
    : wrongPublicUrl(publicUrl, baseUrl);
}

export const addressCheck: Check = {
  id: 'address',
  name: 'The address answers',
  async run({ baseUrl }, http) {
    let answer;
    try {
      answer = await http.send('/healthz');
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      return noAnswer(baseUrl, error.code);
    }
    const location = answer.header('location');
    const target = location === undefined ? undefined : URL.parse(location, baseUrl)?.origin;
    if (answer.status >= 300 && answer.status < 400 && target !== undefined && target !== baseUrl) {
      const secured = target === baseUrl.replace(/^http:/, 'https:');
      if (secured) return httpBehindTls(baseUrl, baseUrl, ', which redirects to https');
      return failed(
        `Wrong PUBLIC_URL: ${baseUrl} redirects to ${target}. Clients do not follow that.`,
        `Set PUBLIC_URL=${target} and restart, if that is the address that users should open.`,
      );
    }
    if (answer.status === 200 && textField(answer.json, 'status') === 'ok') return passed(`${baseUrl} answers.`);
    return failed(
      `Something else answers at ${baseUrl}: /healthz gave ${describeAnswer(answer)}.`,
      'Check that PUBLIC_URL is right and that the proxy passes every path on to the broker.',
    );
  },
};

function noAnswer(baseUrl: string, code: string): Finding {
  const host = new URL(baseUrl).host;
  const wrong =
    'Check PUBLIC_URL; from inside a network the public name may be unreachable: then run the doctor outside.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return failed(`Wrong PUBLIC_URL: the name ${host} is not known.`, wrong);
  if (code === 'ECONNREFUSED') return failed(`Nothing listens at ${host}.`, `Start the broker or its proxy. ${wrong}`);
  if (/CERT|SELF_SIGNED|VERIFY|ALTNAME/.test(code)) {
    return failed(
      `The certificate of ${host} is not trusted (${code}). Clients refuse it too.`,
      'Install a valid certificate with its whole chain at the proxy.',
    );
  }
  if (/SSL|EPROTO|TLS/.test(code)) {
    return failed(
      `${host} does not speak TLS (${code}), but the address begins with https.`,
      'Let the proxy terminate TLS there.',
    );
  }
  return failed(`${host} does not answer (${code}).`, wrong);
}

export const publicUrlCheck: Check = {
  id: 'public-url',
  name: 'PUBLIC_URL is the address that users open',
  needs: ['address'],
  async run({ baseUrl, browser }, http) {
    const answer = await http.send(resourcePath);
    if (textField(answer.json, 'code') === 'foreign_host') {
      const told = /https?:\/\/[^\s,]+/.exec(textField(answer.json, 'message') ?? '')?.[0] ?? 'another address';
      if (URL.parse(told)?.origin === baseUrl) return hostNotPassed(baseUrl);
      return misplaced(told, baseUrl);
    }
    const resource = textField(answer.json, 'resource');
    const told = resource === undefined ? undefined : URL.parse(resource)?.origin;
    if (told !== undefined && told !== baseUrl) return misplaced(told, baseUrl);
    // users paste what their browser shows in its address bar
    if (browser?.origin !== undefined && browser.origin !== baseUrl) return misplaced(baseUrl, browser.origin);
    if (browser?.forwardedProto === 'https' && baseUrl.startsWith('http:')) {
      return httpBehindTls(baseUrl, baseUrl, ', while the proxy says that it was asked by https');
    }
    return told === undefined
      ? skipped('The documents that name the address could not be read.')
      : passed(`The address in the metadata is ${baseUrl}, the one that users open.`);
  },
};

type Document = { path: string; is(json: unknown, baseUrl: string): boolean };
const documents: readonly Document[] = [
  { path: resourcePath, is: (json) => textField(json, 'resource') !== undefined },
  { path: '/.well-known/oauth-protected-resource', is: (json) => textField(json, 'resource') !== undefined },
  { path: '/.well-known/oauth-authorization-server', is: (json) => textField(json, 'issuer') !== undefined },
  { path: '/.well-known/openid-configuration', is: (json) => textField(json, 'issuer') !== undefined },
];

/** Some proxies and hosts serve /.well-known themselves, and clients then read a web page. */
export const wellKnownCheck: Check = {
  id: 'well-known',
  name: 'The /.well-known documents are ours',
  needs: ['address'],
  async run({ baseUrl }, http) {
    for (const { path, is } of documents) {
      const answer = await http.send(path);
      if (textField(answer.json, 'code') === 'foreign_host')
        return skipped('The address is not accepted; see PUBLIC_URL.');
      if (answer.status === 200 && is(answer.json, baseUrl)) continue;
      return failed(
        `Something else answers at ${path}: it gave ${describeAnswer(answer)} instead of our document.`,
        'Let the proxy (or the host of another site on this name) pass everything under /.well-known/oauth… and /.well-known/openid-configuration on to the broker.',
      );
    }
    return passed('All four documents come from this installation.');
  },
};

/** Clients compare issuer and endpoints byte for byte (RFC 8414 section 3.3, RFC 9728 section 3.3). */
export const metadataCheck: Check = {
  id: 'metadata',
  name: 'Issuer, resource and endpoints agree',
  needs: ['public-url', 'well-known'],
  async run({ baseUrl }, http) {
    const resource = (await http.send(resourcePath)).json;
    if (textField(resource, 'resource') !== `${baseUrl}/mcp`) {
      return failed(
        `The resource is ${textField(resource, 'resource')}, not ${baseUrl}/mcp.`,
        `Set PUBLIC_URL=${baseUrl}.`,
      );
    }
    const servers = fieldOf(resource, 'authorization_servers');
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
      const { json } = await http.send(path);
      const issuer = textField(json, 'issuer');
      const listed = Array.isArray(servers) && servers.includes(issuer);
      if (issuer !== baseUrl || !listed) {
        return failed(`The issuer at ${path} is ${issuer}, not ${baseUrl}.`, `Set PUBLIC_URL=${baseUrl} and restart.`);
      }
      for (const field of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri']) {
        const address = textField(json, field);
        if (address === undefined || URL.parse(address)?.origin !== baseUrl) {
          return failed(
            `${field} at ${path} is ${address}, not on ${baseUrl}.`,
            `Set PUBLIC_URL=${baseUrl} and restart.`,
          );
        }
      }
    }
    return passed(`The metadata names ${baseUrl} as the issuer and ${baseUrl}/mcp as the resource.`);
  },
};
