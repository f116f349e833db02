/** Who decided: an administrator, or the operator by a command, under their name on the machine. */
export type DecidedBy = ({ actorId: string } | { operator: string }) & { reason?: string | undefined };

/** The audit log's actor: a person's id; a command has none. */
export const actorOf = (by: DecidedBy): string | undefined => ('actorId' in by ? by.actorId : undefined);
export const operatorOf = (by: DecidedBy): { operator?: string } => ('operator' in by ? { operator: by.operator } : {});
