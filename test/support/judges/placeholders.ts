/** Whether a text shows a placeholder of the catalogue, which its values should have replaced. */
export function hasPlaceholder(text: string): boolean {
  return /\{[a-z]\w*\}/.test(text);
}
