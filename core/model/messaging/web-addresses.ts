/** A bracket or a mark at the end of an address is text. */
const ADDRESS = /https?:\/\/[^\s<>"]+[^\s<>"().,;:!?،؛؟]/gi;

/** The text with each web address in it replaced. Whatever only looks like one stays. */
export function replaceAddresses(text: string, replace: (address: string) => string): string {
  return text.replace(ADDRESS, (address) => (URL.canParse(address) ? replace(address) : address));
}
