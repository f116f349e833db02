export function saveFile(
  name: string,
  text: string | Blob,
  type: 'application/json' | 'application/x-ndjson' | 'text/csv',
): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // the download has started when the click returns, and no longer needs the address
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
