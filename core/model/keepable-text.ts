const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether PostgreSQL can store the text: it has neither NUL nor half of a surrogate pair. */
export function isKeepable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}
