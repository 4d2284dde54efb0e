import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { EXAMPLES, type Example } from '../../api/examples/examples.js';
import type { Route } from '../../api/http/route.js';
import type { Answer } from '../support/api.js';
import type { Asked } from './sample.js';
import { membersOf, tidy } from './tidy-example.js';

const FILE = new URL('../../api/examples/examples.json', import.meta.url);

/** The first exchange of each operation in which the owner succeeded. */
export class RecordedExamples {
  readonly #examples = new Map<string, Example>();

  add(operationId: string, { body: request, form }: Asked, { status, body, headers }: Answer): void {
    if (this.#examples.has(operationId)) return;
    const isJson = /^application\/(?:scim\+)?json\b/.test(headers.get('content-type') ?? '');
    // The document itself is no example of anything.
    const isShown = isJson && operationId !== 'getOpenApi';
    this.#examples.set(
      operationId,
      tidy({
        ...(request !== undefined && form === undefined && { request }),
        ...(isShown && { response: { status, body } }),
      }),
    );
  }

  /** Writes the examples of the API document. Operations without a sample keep the one that was written by hand. */
  write(): void {
    const recorded = [...this.#examples].filter(([, example]) => Object.keys(example).length > 0);
    const sorted = Object.entries({ ...EXAMPLES, ...Object.fromEntries(recorded) }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }

  /** What is wrong with the examples of the API document, one line for each fault. */
  faults(routes: readonly Route[]): string[] {
    const byId = new Map(routes.map((route) => [route.operationId, route]));
    return [
      ...[...this.#examples].flatMap(([id, recorded]) => differences(EXAMPLES[id] ?? {}, recorded).map(of(id))),
      ...Object.entries(EXAMPLES).flatMap(([id, example]) => {
        const route = byId.get(id);
        return (route ? invalidities(route, example) : ['is no operation']).map(of(id));
      }),
    ];
  }
}

const of =
  (id: string) =>
  (fault: string): string =>
    `the example of ${id}: ${fault}; record it again with \`npm run examples\``;

function differences(stored: Example, recorded: Example): string[] {
  const sent = membersOf(recorded.request).join() === membersOf(stored.request).join();
  const answered = recorded.response?.status === stored.response?.status;
  return [
    ...(sent ? [] : ['the test sends other members']),
    ...(answered ? [] : [`the platform answers ${recorded.response?.status ?? 'no JSON'}`]),
  ];
}

function invalidities({ body, responses }: Route, { request, response }: Example): string[] {
  const schema = response && responses[response.status]?.schema;
  const checked = [
    ...(request === undefined ? [] : [['the request', body.safeParse(request)] as const]),
    ...(schema ? [['the response', schema.safeParse(response.body)] as const] : []),
  ];
  return checked.flatMap(([what, { error }]) => (error ? [`${what} is not valid: ${z.prettifyError(error)}`] : []));
}
