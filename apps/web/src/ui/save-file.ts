/** Offers a text to the person as a file of that name. */
export function saveFile(name: string, text: string, type: 'application/json' | 'text/csv'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // the download has started when the click returns, and no longer needs the address
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
