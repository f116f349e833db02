import type { ServerContext } from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import type { Person, Visible } from './person.ts';
import type { CallUnderWay } from './plain/open-call.ts';

/** How the person, and a call that runs already, travel through the SDK, which hands `extra` on untouched. */
export type RequestExtra = { person: Person; visible?: Visible; underWay?: CallUnderWay | undefined };

/** The request as the SDK's handlers take it, with something of ours. */
export function withExtra(request: IncomingMessage, extra: RequestExtra) {
  const { clientId, scopes } = extra.person.caller;
  const auth = { token: '', clientId, scopes: [...scopes], extra };
  return Object.assign(request, { auth, method: request.method ?? 'POST', url: request.url ?? '/' });
}

/** What withExtra put there: the SDK's type only knows a record. */
export function extraOf(authInfo: { extra?: Record<string, unknown> } | undefined): RequestExtra | undefined {
  return authInfo?.extra as RequestExtra | undefined;
}

/** The call that a request's handler finds running. */
export function callUnderWay({ http }: ServerContext): CallUnderWay | undefined {
  return extraOf(http?.authInfo)?.underWay;
}
