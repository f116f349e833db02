/** Few enough that reading and writing a page does not hold up others. */
const pageRows = 500;

/**
 * Reads rows in pages, each of which begins after the last row of the previous one. New rows do not shift a page, and no
 * lock or cursor is kept between pages.
 * @param read returns at most `limit` rows after `last`, in the order of the list
 * @param most the maximum of all rows
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
