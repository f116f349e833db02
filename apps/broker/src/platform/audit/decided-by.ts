/** The author of a decision: an administrator, or the operator by a command, with their name on the machine. */
export type DecidedBy = ({ actorId: string } | { operator: string }) & { reason?: string | undefined };

export const actorOf = (by: DecidedBy): string | undefined => ('actorId' in by ? by.actorId : undefined);
export const operatorOf = (by: DecidedBy): { operator?: string } => ('operator' in by ? { operator: by.operator } : {});
