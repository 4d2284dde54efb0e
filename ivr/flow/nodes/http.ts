import { HTTP_DEFAULTS } from '../../../core/model/flow/nodes/http.js';
import { readPath } from '../../../core/model/flow/value-path.js';
import { expectOutcome, type NodeBehaviour } from '../node.js';

export const http: NodeBehaviour<'http'> = {
  enter(node, ctx) {
    const id = String(ctx.notes?.id ?? ctx.newId());
    ctx.note({ id });
    const { facts } = ctx;
    return {
      act: {
        type: 'http',
        id,
        url: ctx.text(node.url, encodeURIComponent),
        headers: mapped(node.headers, (value) => headerText(ctx.text(value))),
        data: {
          call_id: facts.callId,
          callflow_id: ctx.callflowId,
          node: ctx.id,
          direction: facts.direction,
          customer_number_masked: facts.callerNumberMasked,
          line_number: facts.lineNumber === '' ? null : facts.lineNumber,
          input: mapped(node.body, (value) => (typeof value === 'string' ? ctx.text(value) : value)),
        },
        timeoutMs: (node.timeout_seconds ?? HTTP_DEFAULTS.timeout_seconds) * 1000,
        retries: node.retries ?? HTTP_DEFAULTS.retries,
      },
    };
  },
  resume(node, outcome, ctx) {
    const { status, body } = expectOutcome(outcome, 'responded');
    ctx.set('http_status', String(status ?? 0));
    const isGood = status !== null && status >= 200 && status < 300;
    if (!isGood) return { go: node.failed ?? node.next };
    const answer = parsed(body);
    for (const [name, path] of Object.entries(node.response ?? {})) ctx.set(name, readPath(answer, path) ?? '');
    return { go: node.next };
  },
};

function mapped<T, R>(members: Readonly<Record<string, T>> | undefined, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members ?? {}).map(([name, value]) => [name, map(value)]));
}

/** A value cannot begin a header of its own. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').trim();
}

/** What is no JSON has no values. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
