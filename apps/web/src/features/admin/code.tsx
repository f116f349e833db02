export function Code({ children }: { children: string }) {
  return <code className="font-mono text-xs wrap-anywhere text-text">{children}</code>;
}
