/**
 * Why a server fails: in the words that everyone reads, and apart from them what happened underneath, which operators alone see.
 * @param failure such as connect ECONNREFUSED, with an address
 */
export function tellFailure(
  { statusDetail }: { statusDetail: string | undefined },
  failure: string | undefined,
): { reason: string | null; detail: string | null } {
  const reason = statusDetail ?? failure ?? null;
  return { reason, detail: failure === undefined || failure === reason ? null : failure };
}
