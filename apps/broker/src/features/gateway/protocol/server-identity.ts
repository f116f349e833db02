/** What the gateway says of itself to its clients. */
export type ServerIdentity = { name: string; title: string; version: string };
