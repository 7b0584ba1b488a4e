/**
 * Files that the page saves.
 *
 * In: bytes and a name. Out: a file of whoever uses the browser.
 *
 * @module
 */

export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
