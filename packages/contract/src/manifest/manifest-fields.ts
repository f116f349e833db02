/**
 * Description of each manifest field for docs/manifests.md and the editor. Names, types and limits come from the schema; a
 * field without a description is an error.
 */
export const fieldMeanings: Readonly<Record<string, string>> = {
  id: "The server's name in addresses and commands; never changes.",
  name: 'Display name.',
  serviceType: '`mcp` for an ordinary server.',
  version: 'Raise it with each change: an existing version is never replaced.',
  author: 'Author of the server.',
  description: 'Description shown in the shop.',
  icon: 'An https address, or a path on our own origin.',
  registryName: 'Name in a public registry.',
  slug: "First part of its tools' names on `/mcp`; derived from the id by default.",
  category: 'Category in the shop.',
  featured: 'Position on the home page, from 1. Servers without it follow, most used first.',
  'connection.type': 'Transport.',
  'connection.url': 'Address, or `service:<name>`.',
  'connection.command': 'Alias from the allow-list of programs.',
  isolation:
    'One upstream connection for all users, or one per user. A `shared` program is one process with one folder: all users can read and change what any of them stores there.',
  asks: 'Kinds of questions that the server may ask a client. Needed if it lists its asking tools only to clients that can answer.',
  'auth.type': 'How Souk authenticates there.',
  'auth.clientId': 'Client id at the authorization server, if clients cannot register there.',
  'auth.scopes': 'Scopes to request; by default those that the server names.',
  'auth.issuer':
    'The only accepted authorization server, as named in its metadata. Required if the server names none, or one on another site that administrators should not have to confirm.',
  'auth.endpointOrigins':
    'Other origins where that authorization server may have endpoints, as with Cognito. Users, codes and secrets are sent there.',
  'auth.headers[].name': 'Header name.',
  'auth.headers[].from': 'Who supplies the secret.',
  'auth.headers[].description': 'Hint shown to users when they enter it.',
  'capabilitySnapshot.tools':
    'Tools shown until the server is first contacted, for servers that list nothing before a sign-in.',
  'capabilitySnapshot.prompts': 'Prompts, likewise.',
  'capabilitySnapshot.resources': 'Resources, likewise.',
  'deadlines.connectMs': 'Deadline for connecting.',
  'deadlines.listMs': 'Deadline for a list.',
  'deadlines.callMs': 'Deadline for a call; progress extends it.',
  maxInFlight: 'Concurrent calls by all users.',
  toolChanges:
    'Tool changes that an administrator must review before users get them. `text-only`: all except changed texts and one more optional argument, so new tools are reviewed too; `strict`: all.',
  validateResults:
    "Validate each result against its tool's whole `outputSchema`: an invalid one is refused and not charged.",
  'billing.tier': 'Plans that include it: see Prices below.',
  'billing.rental.price': 'Cents per month.',
  'billing.rental.currency': 'Three capital letters.',
  'billing.rental.name': 'Name on the invoice.',
  'billing.rental.description': 'Description on the invoice.',
  'billing.toolCosts': 'Credits per call, by tool. A tool without an entry is free.',
  'billing.announcedPrices':
    'Announced price per call (`credits`) and its start (`from`), by tool. `toolCosts` applies until then, and users are notified.',
  'billing.trialDays': 'Length of a trial in days.',
  'billing.chargeOnErrors': 'Also charge calls that return an error.',
  features: 'Short list of features for the shop.',
};
