/**
 * Returns why a server fails: the reason for everyone, and the technical detail for operators alone.
 * @param failure technical detail, such as "connect ECONNREFUSED" with an address
 */
export function presentFailure(
  { statusDetail }: { statusDetail: string | undefined },
  failure: string | undefined,
): { reason: string | null; detail: string | null } {
  const reason = statusDetail ?? failure ?? null;
  return { reason, detail: failure === undefined || failure === reason ? null : failure };
}
