import { HTTP_DEFAULTS } from '../../../core/model/flow/nodes/http.js';
import { readPath } from '../../../core/model/flow/parts/value-path.js';
import type { FlowRequest, FlowResponse } from '../../../core/services/callflows/requests.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, type NodeBehaviour } from '../node.js';
import type { SimulatedCall } from '../simulated-call.js';
import { BackgroundTask } from '../tasks/background-task.js';

export const http: NodeBehaviour<'http'> = (node, ctx) => {
  // The id is kept for a repetition after a restart, so that the receiver can recognize the request.
  const id = String(ctx.notes?.id ?? ctx.newId());
  ctx.note({ id });
  const { facts } = ctx;
  const request: FlowRequest = {
    id,
    url: ctx.fill(node.url, encodeURIComponent),
    headers: mapValues(node.headers, (value) => headerText(ctx.fill(value))),
    data: {
      call_id: facts.callId,
      callflow_id: ctx.callflowId,
      node: ctx.id,
      direction: facts.direction,
      customer_number_masked: facts.callerNumberMasked,
      line_number: facts.lineNumber === '' ? null : facts.lineNumber,
      input: mapValues(node.body, (value) => (typeof value === 'string' ? ctx.fill(value) : value)),
    },
    timeoutMs: (node.timeout_seconds ?? HTTP_DEFAULTS.timeout_seconds) * 1000,
    retries: node.retries ?? HTTP_DEFAULTS.retries,
  };
  return act(new HttpAction(request), ({ status, body }) => {
    ctx.set('http_status', String(status ?? 0));
    const isSuccess = status !== null && status >= 200 && status < 300;
    if (!isSuccess) return { go: node.failed ?? node.next };
    const data = parseJson(body);
    for (const [name, path] of Object.entries(node.response ?? {})) ctx.set(name, readPath(data, path) ?? '');
    return { go: node.next };
  });
};

const NO_RESPONSE: FlowResponse = { status: null, body: '' };

class HttpAction implements FlowAction<FlowResponse> {
  constructor(private readonly request: FlowRequest) {}

  perform(flow: FlowCall): Promise<FlowResponse | null> {
    const { call, deps } = flow;
    return flow.run(new BackgroundTask(() => deps.requests.send(call.flow.parties, this.request), NO_RESPONSE));
  }

  simulate(call: SimulatedCall): FlowResponse {
    const { url, headers, data, timeoutMs } = this.request;
    call.request({ url, headers: { ...headers }, data: { ...data } });
    const response = call.next('http');
    if (!response) call.assumeFailure('http');
    if (response && 'status' in response)
      return { status: response.status, body: JSON.stringify(response.body ?? null) };
    call.pass(timeoutMs);
    return NO_RESPONSE;
  }
}

function mapValues<T, R>(members: Readonly<Record<string, T>> | undefined, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members ?? {}).map(([name, value]) => [name, map(value)]));
}

/** Without control characters, so a value cannot start another header. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').trim();
}

/** Null for text that is not JSON. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
