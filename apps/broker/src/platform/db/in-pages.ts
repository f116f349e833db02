/** Rows of a page: so few that reading and writing them holds up nobody. */
const pageRows = 500;

/**
 * Rows in pages, each of which begins after the last row of the page before. What comes in meanwhile shifts none, and nothing
 * is held between two pages.
 * @param read answers at most `limit` rows in the order of the list, those after `last`
 * @param most so many rows in all
 */
export async function* inPages<Row>(
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
  most: number,
): AsyncGenerator<readonly Row[], void> {
  let last: Row | undefined;
  for (let left = most; left > 0;) {
    const limit = Math.min(pageRows, left);
    const rows = await read(last, limit);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    left -= rows.length;
    last = rows.at(-1);
  }
}
