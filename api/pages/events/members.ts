import { z } from 'zod';
import { html, prose, type Html } from '../html.js';

/** The parts of a JSON Schema that the table shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The members of an object, with their types and meanings. */
export function memberTable(object: z.ZodObject): Html {
  const { properties = {}, required = [] } = z.toJSONSchema(object, { unrepresentable: 'any' }) as Schema;
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      html`<tr>
        <td class="code">
          <code>${name}</code>${required.includes(name) ? html`` : html` <span class="tag">optional</span>`}
        </td>
        <td><code>${typeOf(schema)}</code></td>
        <td>${prose(schema.description ?? '')}</td>
      </tr>`,
  );
  return html`<table class="list" dir="ltr">
    <thead>
      <tr>
        <th>Member</th>
        <th>Type</th>
        <th>Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** In words: `"a" | "b"`, `Leg[]`, `date-time or null`. A named type is a schema of the API document. */
function typeOf({ $ref, type, const: only, enum: values, format, items, anyOf }: Schema): string {
  if ($ref !== undefined) return $ref.replace(/^.*\//, '');
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return items === undefined ? 'array' : `${typeOf(items)}[]`;
  return format ?? type ?? 'any value';
}
