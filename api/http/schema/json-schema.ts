import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schemas of a document. A schema with a name (`.meta({ id })`) is stored once and referenced. If its input
 * differs from its output, the second one gets the name with `Input` or `Output` at the end.
 */
export class JsonSchemas {
  readonly components: Record<string, JsonSchema> = {};

  /** @param io `input` for requests, `output` for answers. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>;
    const { $schema: _dialect, $defs = {}, ...rest } = made;
    const defs = $defs as Record<string, JsonSchema>;
    const names = new Map(Object.keys(defs).map((name) => [name, this.#nameFor(name, defs, io)]));
    for (const [name, definition] of Object.entries(defs)) {
      this.components[names.get(name) ?? name] = this.#referring(definition, names) as JsonSchema;
    }
    return this.#referring(rest, names) as JsonSchema;
  }

  #nameFor(name: string, defs: Record<string, JsonSchema>, io: 'input' | 'output'): string {
    const known = this.components[name];
    if (known === undefined) return name;
    const same = new Map(Object.keys(defs).map((other) => [other, other]));
    const identical = JSON.stringify(known) === JSON.stringify(this.#referring(defs[name], same));
    return identical ? name : `${name}${io === 'input' ? 'Input' : 'Output'}`;
  }

  #referring(value: unknown, names: ReadonlyMap<string, string>): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#referring(item, names));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const name = key === '$ref' && typeof item === 'string' ? /^#\/\$defs\/(.+)$/.exec(item)?.[1] : undefined;
        if (name === undefined) return [key, this.#referring(item, names)];
        return [key, `#/components/schemas/${names.get(name) ?? name}`];
      }),
    );
  }
}
