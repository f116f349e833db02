/** Limit of the pages of a list that one run reads. */
const maxPages = 500;

/** Reads a list of the payment provider page by page. @param list requests a page: the first one, or the one after an object */
export async function* providerPages<Item extends { id: string }>(
  list: (page: { starting_after?: string }) => Promise<{ data: Item[]; has_more: boolean }>,
): AsyncGenerator<Item[], void> {
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { data, has_more: hasMore } = await list(after === undefined ? {} : { starting_after: after });
    yield data;
    after = data.at(-1)?.id;
    if (!hasMore || after === undefined) return;
  }
}
