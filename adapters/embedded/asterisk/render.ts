import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from '../system/types.js';

export type TemplateValues = Readonly<Record<string, string | number | readonly string[]>>;

/** Renders every `*.conf` of a directory; returns the texts by file name. */
export async function renderTemplates(folder: string, values: TemplateValues): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.conf')).sort();
  if (names.length === 0) throw new EmbeddedError('asterisk', `no configuration templates in ${folder}`);
  const rendered = new Map<string, string>();
  for (const name of names)
    rendered.set(name, renderTemplate(name, await readFile(join(folder, name), 'utf8'), values));
  return rendered;
}

/**
 * Replaces `{{name}}` with its value. A list value becomes several lines and must be alone on its line; its lines are
 * trusted configuration. A scalar is data: it must not contain a line break, and its `;` is escaped.
 * @throws EmbeddedError for a name without a value, or a value that would break out of its line
 */
export function renderTemplate(file: string, template: string, values: TemplateValues): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new EmbeddedError('asterisk', `${file} uses an unknown value "${name}"`);
    if (typeof value === 'object') return value.join('\n');
    const text = String(value);
    if (/[\r\n]/.test(text))
      throw new EmbeddedError('asterisk', `the value "${name}" of ${file} contains a line break`);
    return text.replaceAll(';', '\\;');
  });
}
