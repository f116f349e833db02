/**
 * What each field of a manifest is for, in docs/manifests.md and in the editor. Names, forms and limits come from the schema; a
 * field without a line here is an error.
 */
export const fieldMeanings: Readonly<Record<string, string>> = {
  id: "The server's name in addresses and commands; never changes.",
  name: 'What people see.',
  serviceType: '`mcp` for an ordinary server.',
  version: 'Raise it with each change: a known version is never replaced.',
  author: 'Who made the server.',
  description: 'What people read in the shop.',
  icon: 'An https address, or a path on our own origin.',
  registryName: 'Its name in a public registry.',
  slug: "The first part of its tools' names on `/mcp`; by default made of the id.",
  category: 'Its place in the shop.',
  featured: 'Its place on the home page: 1 stands first. Servers without it follow, the most used first.',
  'connection.type': 'How it is reached.',
  'connection.url': 'Its address, or `service:<name>`.',
  'connection.command': 'An alias of the allow-list of programs.',
  isolation:
    'One upstream connection for everyone, or one for each person. A program that is `shared` is one process with one folder: what one person keeps there, all others can read and change.',
  asks: 'What it may ask a client, where it lists the tools that ask only to clients that can answer.',
  'auth.type': 'How Souk authenticates there.',
  'auth.clientId': 'Our client at the authorization server, where it registers none.',
  'auth.scopes': 'What to ask for; by default what the server says.',
  'auth.issuer':
    'The authorization server, as its metadata names itself. No other one is used. Needed where the server names none, or one on another site that no administrator is to confirm.',
  'auth.endpointOrigins':
    'Other origins at which that authorization server may have endpoints, such as those of Cognito: people, codes and secrets go there.',
  'auth.headers[].name': 'The name of the header.',
  'auth.headers[].from': 'Whose secret it is.',
  'auth.headers[].description': 'What people are told when they enter theirs.',
  'capabilitySnapshot.tools': 'Shown until the server was asked, for servers that answer nothing before a sign-in.',
  'capabilitySnapshot.prompts': 'The same for prompts.',
  'capabilitySnapshot.resources': 'The same for resources.',
  'deadlines.connectMs': 'To connect.',
  'deadlines.listMs': 'For a list.',
  'deadlines.callMs': 'For a call; progress extends it.',
  maxInFlight: 'Calls at once, of all people.',
  toolChanges:
    'Which changes of tools an administrator reviews before people have them. `text-only`: all but new texts and an optional argument more, so a new tool waits too; `strict`: every one.',
  validateResults:
    'Compare each result with the whole `outputSchema` of its tool: one that does not fit is refused, and not charged.',
  'billing.tier': 'Who may use it without a rental: see Prices below.',
  'billing.rental.price': 'Cents a month.',
  'billing.rental.currency': 'Three capital letters.',
  'billing.rental.name': 'On the invoice.',
  'billing.rental.description': 'On the invoice.',
  'billing.toolCosts': 'Credits a call, by tool. A tool without one is free.',
  'billing.announcedPrices':
    'What a call costs from a date on (`credits`, `from`), by tool: `toolCosts` holds until then, and people are told.',
  'billing.trialDays': 'Days of a trial.',
  'billing.chargeOnErrors': 'Charge calls that answer with an error too.',
  features: 'Short points for the shop.',
};
