/** What a page's head and first HTML say, before the web app takes over. Plain text; escaped where it is written. */
export type PageFacts = {
  status: 200 | 404;
  /** Without the brand; the brand alone where undefined. */
  title?: string | undefined;
  /** For public pages: what search engines and link previews show. */
  description?: string | undefined;
  /** The page's own path, without a query. Public pages have one, all others are kept out of search engines. */
  canonicalPath?: string | undefined;
  /** A picture of our own origin for link previews; the product's own unless given. */
  imagePath?: string | undefined;
  /** schema.org objects. */
  structured?: readonly StructuredData[] | undefined;
  summary?: Summary | undefined;
};

export type StructuredData = { readonly [key: string]: unknown };

/** The page in plain HTML: what is read before the program has loaded, and by those that run none. */
export type Summary = {
  heading: string;
  paragraphs: readonly string[];
  /** Links to pages of ours, each with a line of text or none. */
  links: readonly { path: string; name: string; text?: string | undefined }[];
  /** Names with a line of text: the tools of a service. */
  items?: readonly { name: string; text: string }[] | undefined;
};
