type ParameterText = {
  name: string;
  /** The beginning of the addresses that it holds for; by default all. */
  start?: string;
  text: string;
};

const times = 'a time (RFC 3339)';

/** What each parameter of an address says, for documents. The first that fits holds. */
const texts: readonly ParameterText[] = [
  { name: 'id', start: '/admin/manifests/runs', text: 'The id of the run, as the call that began it answered' },
  { name: 'id', start: '/admin/manifests', text: 'The id of the manifest, such as travel' },
  { name: 'id', start: '/admin/servers', text: 'The id of the server, such as travel' },
  { name: 'id', start: '/admin/tool-changes', text: 'The id of the change, from the list of changes' },
  { name: 'id', start: '/admin/registries', text: 'The id of the registry, from the list of registries' },
  { name: 'id', start: '/admin/users', text: 'The id of the user' },
  { name: 'id', start: '/admin/offers', text: 'The id of the plan or credit package' },
  { name: 'id', start: '/auth/pat', text: 'The id of the personal access token, from the list of tokens' },
  { name: 'id', start: '/api/users/{userId}/connected-apps', text: 'The id of the connected app, from their list' },
  { name: 'id', start: '/api/billing/open-payment', text: 'The id of the subscription or rental' },
  {
    name: 'id',
    start: '/api/billing',
    text: 'The id of the subscription, as GET /api/billing/subscription answers it',
  },
  { name: 'userId', start: '/admin', text: 'The id of the user' },
  { name: 'userId', text: 'The id of the caller, from GET /v2/user/profile. No other user’s is taken' },
  { name: 'serverId', text: 'The id of the service, such as travel' },
  { name: 'mcpId', text: 'The id of the service, such as travel' },
  {
    name: 'serverName',
    text: 'The name in the registry: the reversed host of this shop, a slash, and the id; encoded',
  },
  { name: 'appId', text: 'The id of the connected app' },
  { name: 'tokenId', text: 'The id of the personal access token' },
  { name: 'subscriptionId', text: 'The id of the subscription' },
  { name: 'paymentId', text: 'The id of the payment, from the user’s payments' },
  { name: 'entryId', text: 'The number of the entry, from the user’s ledger' },
  { name: 'callId', text: 'The id of the run, which its first event tells' },
  { name: 'sessionId', text: 'The id of the checkout session, which the return address has' },
  { name: 'kind', start: '/api/users', text: 'The kind of e-mail' },
  { name: 'kind', text: 'How the server is offered' },
  { name: 'page', start: '/api/legal', text: 'Which text' },
  { name: 'page', text: 'The number of the page; the first is 1' },
  { name: 'pageSize', text: 'How many a page has' },
  { name: 'limit', text: 'How many are answered at most' },
  { name: 'cursor', text: 'Where the page begins: nextCursor of the answer before' },
  { name: 'side', text: 'Whether the page has what is older than the cursor, or newer' },
  { name: 'q', text: 'Words to look for' },
  { name: 'search', text: 'A text to look for' },
  { name: 'type', start: '/api/catalogue', text: 'The type of service' },
  { name: 'type', start: '/admin/manifests', text: 'How the server is reached' },
  { name: 'type', text: 'The type of transaction' },
  { name: 'tier', text: 'The tier of the service' },
  { name: 'price', text: 'Whether the service has a price' },
  { name: 'sort', text: 'The order; without it, by relevance' },
  { name: 'status', start: '/api/catalogue', text: 'How the service is' },
  { name: 'status', start: '/admin/tool-changes', text: 'What was decided on the change' },
  {
    name: 'status',
    start: '/admin/manifests',
    text: 'Whether a version is deployed; deleted: neither deployed nor staged',
  },
  { name: 'health', text: 'Only manifests whose deployed server does not answer as it should' },
  { name: 'status', text: 'The state of the transaction' },
  { name: 'staged', text: 'Only manifests with a staged version, by who brought it' },
  { name: 'version', start: '/v0.1/servers/', text: 'A version, or latest' },
  { name: 'version', text: 'Only this version' },
  { name: 'include_deleted', text: 'true: services that were taken out are listed as well, with the status deleted' },
  { name: 'updated_since', text: 'Only what has changed since this time' },
  { name: 'updatedSince', text: 'Only servers that have changed since this time' },
  { name: 'importable', text: 'true: only servers that can be imported' },
  { name: 'hideDeprecated', text: 'true: without servers that their registry calls deprecated' },
  { name: 'from', start: '/admin/servers', text: 'A version; by default the deployed one' },
  { name: 'to', start: '/admin/servers', text: 'A version; by default the staged one' },
  { name: 'from', text: `The first that is wanted: a day (YYYY-MM-DD), or ${times} where calls are listed` },
  { name: 'to', text: `The last that is wanted: a day (YYYY-MM-DD), or ${times} where calls are listed` },
  { name: 'startDate', text: `The first that is wanted: a day (YYYY-MM-DD), or ${times}` },
  { name: 'endDate', text: `The last that is wanted: a day (YYYY-MM-DD), or ${times}` },
  { name: 'days', text: 'How many days, today included' },
  { name: 'outcome', text: 'How the call ended' },
  { name: 'server', text: 'The id of the service' },
  { name: 'tool', text: 'The name of the tool, as its server says it' },
  { name: 'role', text: 'Only users, or only administrators' },
  { name: 'active', text: 'false: only deactivated accounts' },
  { name: 'plan', text: 'The id of a plan that runs; free: only users without one' },
  {
    name: 'who',
    text: 'people, operators or broker; the id of a user or the beginning of their address; operator:NAME',
  },
  { name: 'group', text: 'What the action is about' },
  { name: 'object', text: 'The beginning of what it happened to, such as the id of a server' },
  { name: 'show', text: 'changes: everything but what calls cost' },
  { name: 'payment', text: 'Only this payment, with its refunds' },
  { name: 'amountCents', text: 'How much is to be paid back, in minor units; by default all that is left' },
  { name: 'reason', text: 'Why, for the audit log' },
  {
    name: 'If-Match',
    text: 'The revision that the caller has seen, in quotes. It answers 409 where another one is there by now',
  },
];

/** Explains a parameter. undefined: it has no text, which a test finds. */
export function parameterText(path: string, name: string): string | undefined {
  return texts.find((one) => one.name === name && path.startsWith(one.start ?? ''))?.text;
}
