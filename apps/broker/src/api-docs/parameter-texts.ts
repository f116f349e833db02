type ParameterText = {
  name: string;
  /** Prefix of the paths that the text applies to; by default all. */
  start?: string;
  text: string;
};

const times = 'a time (RFC 3339)';

/** Explanations of parameters for the API's documents. The first match applies. */
const texts: readonly ParameterText[] = [
  {
    name: 'id',
    start: '/admin/manifests/runs',
    text: 'The id of the run, from the answer of the call that started it',
  },
  { name: 'id', start: '/admin/manifests', text: 'The id of the manifest, such as travel' },
  { name: 'id', start: '/admin/servers', text: 'The id of the server, such as travel' },
  { name: 'id', start: '/admin/tool-changes', text: 'The id of the change, from the list of changes' },
  { name: 'id', start: '/admin/registries', text: 'The id of the registry, from the list of registries' },
  { name: 'id', start: '/admin/users', text: 'The id of the user' },
  { name: 'id', start: '/admin/offers', text: 'The id of the plan or credit package' },
  { name: 'id', start: '/auth/pat', text: 'The id of the personal access token, from the list of tokens' },
  {
    name: 'id',
    start: '/api/users/{userId}/connected-apps',
    text: 'The id of the connected app, from the list of connected apps',
  },
  { name: 'id', start: '/api/billing/open-payment', text: 'The id of the subscription or rental' },
  {
    name: 'id',
    start: '/api/billing',
    text: 'The id of the subscription, from GET /api/billing/subscription',
  },
  { name: 'userId', start: '/admin', text: 'The id of the user' },
  { name: 'userId', text: 'The caller’s own id, from GET /v2/user/profile' },
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
  { name: 'callId', text: 'The id of the run, from its first event' },
  { name: 'sessionId', text: 'The id of the checkout session, from the return address' },
  { name: 'kind', start: '/api/users', text: 'The kind of e-mail' },
  { name: 'kind', text: 'Only servers of this kind: remote, or a type of package' },
  { name: 'page', start: '/api/legal', text: 'The legal text' },
  { name: 'page', text: 'The number of the page; the first is 1' },
  { name: 'pageSize', text: 'Items per page' },
  { name: 'limit', text: 'Maximum number of items' },
  { name: 'cursor', text: 'Where the page begins: nextCursor of the previous answer' },
  { name: 'side', text: 'Whether the page is older or newer than the cursor' },
  { name: 'q', text: 'Words to search for' },
  { name: 'search', text: 'Text to search for' },
  { name: 'type', start: '/api/catalogue', text: 'The type of service' },
  { name: 'type', start: '/admin/manifests', text: 'The transport of the server' },
  { name: 'type', text: 'The type of transaction' },
  { name: 'tier', text: 'The tier of the service' },
  { name: 'price', text: 'Whether the service has a price' },
  { name: 'sort', text: 'The order; by default, by relevance' },
  { name: 'status', start: '/api/catalogue', text: 'The status of the service' },
  { name: 'status', start: '/admin/tool-changes', text: 'The decision on the change' },
  {
    name: 'status',
    start: '/admin/manifests',
    text: 'Whether a version is deployed; deleted: neither deployed nor staged',
  },
  { name: 'health', text: 'Only manifests whose deployed server is failing' },
  { name: 'status', text: 'The state of the transaction' },
  { name: 'staged', text: 'Only manifests with a staged version, by who staged it' },
  { name: 'version', start: '/v0.1/servers/', text: 'A version, or latest' },
  { name: 'version', text: 'Only this version' },
  { name: 'include_deleted', text: 'true: also lists removed services, with the status deleted' },
  { name: 'updated_since', text: 'Only services that have changed since this time' },
  { name: 'updatedSince', text: 'Only servers that have changed since this time' },
  { name: 'importable', text: 'true: only servers that can be imported' },
  { name: 'hideDeprecated', text: 'true: leaves out servers that their registry calls deprecated' },
  { name: 'from', start: '/admin/servers', text: 'A version; by default the deployed one' },
  { name: 'to', start: '/admin/servers', text: 'A version; by default the staged one' },
  { name: 'from', text: `The first day (YYYY-MM-DD), or for lists of calls ${times}` },
  { name: 'to', text: `The last day (YYYY-MM-DD), or for lists of calls ${times}` },
  { name: 'startDate', text: `The first day (YYYY-MM-DD), or ${times}` },
  { name: 'endDate', text: `The last day (YYYY-MM-DD), or ${times}` },
  { name: 'days', text: 'Number of days, including today' },
  { name: 'outcome', text: 'How the call ended' },
  { name: 'server', text: 'The id of the service' },
  { name: 'tool', text: 'The tool’s name at its server' },
  { name: 'role', text: 'Only users, or only administrators' },
  { name: 'active', text: 'false: only deactivated accounts' },
  { name: 'plan', text: 'The id of an active plan; free: only users without one' },
  {
    name: 'who',
    text: 'people, operators or broker; the id of a user or the beginning of their e-mail address; operator:NAME',
  },
  { name: 'group', text: 'What the action is about' },
  {
    name: 'object',
    text: 'The beginning of the id or e-mail address that the action was on, such as the id of a server',
  },
  { name: 'show', text: 'changes: leaves out what calls cost' },
  { name: 'payment', text: 'Only this payment, with its refunds' },
  { name: 'amountCents', text: 'The amount to refund, in minor units; by default all that is left' },
  { name: 'reason', text: 'The reason, for the audit log' },
  {
    name: 'If-Match',
    text: 'The revision that the caller has read, in quotes. The answer is 409 if it has changed since',
  },
];

/** Explains a parameter; undefined without a text, which a test finds. */
export function parameterText(path: string, name: string): string | undefined {
  return texts.find((one) => one.name === name && path.startsWith(one.start ?? ''))?.text;
}
