/** Kind of object that an audit row is about. It decides which page the row links to. */
export type AuditObject =
  | 'server'
  | 'tool'
  | 'user'
  | 'payment'
  | 'subscription'
  | 'offer'
  | 'all-servers'
  | 'call'
  | 'other';

/** Groups by which the audit log can be filtered. An action belongs to one group. */
export const auditGroups = {
  servers: 'Servers',
  tools: 'Tools',
  users: 'Users',
  access: 'Access and credits',
  payments: 'Payments',
  administration: 'Administration',
} as const;
export type AuditGroup = keyof typeof auditGroups;

type ActionText = { group: AuditGroup; object: AuditObject; text: string };

/**
 * Every action of the audit log, in words. A row is stored under one of these names, so a new action needs its words first.
 * Names are permanent, because stored rows use them.
 */
export const auditActions = {
  'manifest.staged': { group: 'servers', object: 'server', text: 'Staged a manifest' },
  'manifest.deployed': { group: 'servers', object: 'server', text: 'Deployed a server' },
  'manifest.undeployed': { group: 'servers', object: 'server', text: 'Undeployed a server' },
  'manifest.deleted': { group: 'servers', object: 'server', text: 'Deleted a server' },
  'manifests.reloaded': { group: 'servers', object: 'all-servers', text: 'Reloaded all servers' },
  'manifests.deployed': { group: 'servers', object: 'all-servers', text: 'Deployed all staged manifests' },
  'manifests.run-joined': { group: 'servers', object: 'all-servers', text: 'Joined a run that was under way' },
  'address.allowed': { group: 'administration', object: 'other', text: 'Allowed a private address' },
  'address.removed': { group: 'administration', object: 'other', text: 'Removed an allowed address' },
  'package.allowed': { group: 'administration', object: 'other', text: 'Allowed an npm package' },
  'package.removed': { group: 'administration', object: 'other', text: 'Removed an allowed npm package' },
  'secret.set': { group: 'servers', object: 'server', text: 'Entered a secret of a server' },
  'secret.replaced': { group: 'servers', object: 'server', text: 'Replaced a secret of a server' },
  'secret.removed': { group: 'servers', object: 'server', text: 'Removed a secret of a server' },
  'secret.bound': {
    group: 'servers',
    object: 'server',
    text: 'Bound headers from the environment to another address',
  },
  'registry.added': { group: 'servers', object: 'other', text: 'Added a registry of servers' },
  'registry.renamed': { group: 'servers', object: 'other', text: 'Renamed a registry of servers' },
  'registry.removed': { group: 'servers', object: 'other', text: 'Removed a registry of servers' },
  'sign-in.issuer-confirmed': { group: 'servers', object: 'server', text: "Confirmed a server's sign-in provider" },
  'sign-in.issuer-refused': { group: 'servers', object: 'server', text: "Refused a server's new sign-in provider" },
  'sign-in.registration-dropped': {
    group: 'servers',
    object: 'server',
    text: 'Dropped our registration at a sign-in provider',
  },
  'tools.approved': { group: 'tools', object: 'server', text: 'Approved the tools that a server offers to an account' },
  'tool-change.under-review': { group: 'tools', object: 'tool', text: 'Put a changed tool under review' },
  'tool-change.accepted': { group: 'tools', object: 'tool', text: 'Accepted a changed tool' },
  'tool-change.approved': { group: 'tools', object: 'tool', text: 'Approved a changed tool' },
  'tool-change.rejected': { group: 'tools', object: 'tool', text: 'Rejected a changed tool' },
  'personal-tools.under-review': { group: 'tools', object: 'server', text: 'Put changed personal tools under review' },
  'personal-tools.accepted': { group: 'tools', object: 'server', text: 'Accepted changed personal tools' },
  'user.deactivated': { group: 'users', object: 'user', text: 'Deactivated a user' },
  'user.activated': { group: 'users', object: 'user', text: 'Activated a user' },
  'user.signed-out': { group: 'users', object: 'user', text: 'Signed a user out everywhere' },
  'user.browser-signed-out': { group: 'users', object: 'user', text: 'Signed a user out of a browser' },
  'user.app-disconnected': { group: 'users', object: 'user', text: 'Disconnected an app' },
  'user.created': { group: 'users', object: 'user', text: 'Created a user' },
  'user.token-created': { group: 'users', object: 'user', text: 'Created an access token' },
  'user.token-revoked': { group: 'users', object: 'user', text: 'Revoked an access token' },
  'user.exported': { group: 'users', object: 'user', text: "Exported a user's data" },
  'user.erased': { group: 'users', object: 'user', text: 'Erased a user' },
  'user.deleted-own-account': { group: 'users', object: 'user', text: 'Deleted their own account' },
  'access.given': { group: 'access', object: 'user', text: 'Granted access' },
  'access.removed': { group: 'access', object: 'user', text: 'Removed access' },
  'access.not-renewed': { group: 'access', object: 'user', text: 'Stopped a renewal' },
  'access.refunded': { group: 'payments', object: 'user', text: 'Refunded removed access' },
  'access.refund-failed': { group: 'payments', object: 'user', text: 'Failed to refund removed access' },
  'user.refund-asked': { group: 'payments', object: 'user', text: 'Requested the refund of a payment' },
  'user.refunded': { group: 'payments', object: 'user', text: 'Refunded a payment' },
  'user.refund-failed': { group: 'payments', object: 'user', text: "Failed to refund a user's payment" },
  'credits.welcome': { group: 'access', object: 'user', text: 'Granted welcome credits' },
  'credits.set': { group: 'access', object: 'user', text: 'Set credits' },
  'payment.flagged': { group: 'payments', object: 'payment', text: 'Flagged a payment that differs from its order' },
  'payment.returned': { group: 'payments', object: 'payment', text: 'Refunded a payment automatically' },
  'payment.duplicate-refunded': {
    group: 'payments',
    object: 'payment',
    text: 'Refunded a duplicate payment',
  },
  'payment.refunded-after-deletion': {
    group: 'payments',
    object: 'payment',
    text: 'Refunded a payment of a deleted account',
  },
  'payment.return-refused': { group: 'payments', object: 'payment', text: 'Failed to refund a payment automatically' },
  'payment.refund-failed': { group: 'payments', object: 'payment', text: 'Failed to refund a payment' },
  'payment.found-by-reconciler': {
    group: 'payments',
    object: 'payment',
    text: 'Found a payment whose webhook was missing',
  },
  'subscription.missing': { group: 'payments', object: 'user', text: 'Ended a subscription that Stripe does not have' },
  'subscription.found-by-reconciler': {
    group: 'payments',
    object: 'subscription',
    text: 'Found a changed subscription whose webhook was missing',
  },
  'subscription.paid-not-given': {
    group: 'payments',
    object: 'subscription',
    text: 'Found a plan or credits that were paid for but not granted',
  },
  'offer.created': { group: 'payments', object: 'offer', text: 'Added an offer' },
  'offer.changed': { group: 'payments', object: 'offer', text: 'Edited an offer' },
  'offer.archived': { group: 'payments', object: 'offer', text: 'Archived an offer' },
  'offer.restored': { group: 'payments', object: 'offer', text: 'Brought an offer back' },
  'offer.file-taken': { group: 'payments', object: 'offer', text: 'Reset an offer to offers.json' },
  'offer.move-started': { group: 'payments', object: 'offer', text: 'Started a move of subscribers to another price' },
  'offer.moved': { group: 'payments', object: 'offer', text: 'Moved subscribers to another price' },
  'offer.move-stopped': { group: 'payments', object: 'offer', text: 'Stopped a move of subscribers' },
  'administration.refused': {
    group: 'administration',
    object: 'call',
    text: 'Refused a call that only administrators may make',
  },
  'key.rotation-begun': { group: 'administration', object: 'other', text: 'Started to rotate the master key' },
  'key.rotated': { group: 'administration', object: 'other', text: 'Rotated the master key' },
  'audit.limit-reached': { group: 'administration', object: 'other', text: 'Reached the daily limit of audit rows' },
  'audit.exported': { group: 'administration', object: 'other', text: 'Exported the audit log' },
} as const satisfies Record<string, ActionText>;

export type AuditAction = keyof typeof auditActions;

export const auditActionNames = Object.keys(auditActions) as readonly AuditAction[];
export const auditGroupNames = Object.keys(auditGroups) as readonly AuditGroup[];

export const actionsOf = (group: AuditGroup): AuditAction[] =>
  auditActionNames.filter((name) => auditActions[name].group === group);

/** Returns the words for a row. After a downgrade, a row of a later version shows the name of its action. */
export const actionText = (action: string): ActionText =>
  Object.hasOwn(auditActions, action)
    ? auditActions[action as AuditAction]
    : { group: 'administration', object: 'other', text: action };
