/** Plain text of a page's head and first HTML, before the web app takes over. Escaped when it is written. */
export type PageFacts = {
  status: 200 | 404;
  /** Title without the brand. If undefined, the page's title is the brand. */
  title?: string | undefined;
  /** Shown by search engines and link previews. Only public pages have one. */
  description?: string | undefined;
  /** The page's path without a query. Pages without one are kept out of search engines. */
  canonicalPath?: string | undefined;
  /** schema.org objects. */
  structured?: readonly StructuredData[] | undefined;
  summary?: Summary | undefined;
};

export type StructuredData = { readonly [key: string]: unknown };

/** The page in plain HTML, for readers without scripts and until the web app has loaded. */
export type Summary = {
  heading: string;
  paragraphs: readonly string[];
  links: readonly { path: string; name: string; text?: string | undefined }[];
  /** The tools of a service. */
  items?: readonly { name: string; text: string }[] | undefined;
};
