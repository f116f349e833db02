/** The messages in a body: a single one, or a batch (2025-03-26). */
export function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}
