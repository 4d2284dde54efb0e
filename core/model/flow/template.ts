/** `{{name}}` or `{{name | format}}`: what a text of a flow may hold. */
const PLACE = /\{\{\s*([a-z][a-z0-9_]{0,63})\s*(?:\|\s*([a-z]+)\s*)?\}\}/g;

/** How a value is put into words. */
export const TEMPLATE_FORMATS = ['digits', 'number', 'money', 'date', 'time'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

const formats: ReadonlySet<string> = new Set(TEMPLATE_FORMATS);

/** Whether the text holds a place for a value. */
export function hasPlaces(text: string): boolean {
  return text.includes('{{');
}

/** Whether every pair of braces in the text is a place that can be filled. */
export function isTemplate(text: string): boolean {
  const unknown = Array.from(text.matchAll(PLACE)).some(([, , format]) => format !== undefined && !formats.has(format));
  return !unknown && !/\{\{|\}\}/.test(text.replace(PLACE, ''));
}

/**
 * The text with its values; an unknown name stands for nothing. Values are not looked at for places again.
 * @param say puts a value into words; `before` is the text of the template up to its place.
 */
export function fill(
  text: string,
  valueOf: (name: string) => string,
  say: (value: string, format: TemplateFormat, before: string) => string = (value) => value,
): string {
  return text.replace(PLACE, (_, name: string, format: string | undefined, start: number) => {
    const value = valueOf(name);
    return format === undefined || !formats.has(format)
      ? value
      : say(value, format as TemplateFormat, text.slice(0, start));
  });
}
