/** Returns a display name without characters that would end its quotes or its SIP header. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}"\\<>]/gu, ' ').trim();
}
