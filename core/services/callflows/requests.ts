import type { ProjectRow } from '../../data/rows.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { OutboundHttp } from '../../ports/outbound-http.js';
import { eventBody, type MessageSigner } from '../webhooks/message.js';

/** A request from a flow to a system of the customer. */
export interface FlowRequest {
  /** Sent as `webhook-id`; the same for every attempt. */
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
  /** For one attempt. */
  readonly timeoutMs: number;
  readonly retries: number;
}

/** `status` null: no response arrived. */
export interface FlowResponse {
  readonly status: number | null;
  readonly body: string;
}

export interface FlowRequestsOptions {
  readonly http: OutboundHttp;
  readonly signer: MessageSigner;
  /** The project whose secret signs the request. */
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'signing_secret'> | null>;
  readonly clock: Clock;
}

const TYPE = 'callflow.request';
const FIRST_PAUSE_MS = 500;
/** Failures that a retry cannot resolve. */
const FINAL: ReadonlySet<string> = new Set(['malformed', 'not_https', 'forbidden_address']);

/** Sends the requests of flows: signed like webhooks, to public addresses only, with retries if they can help. */
export class FlowRequests {
  constructor(private readonly options: FlowRequestsOptions) {}

  /** Signs with the project's secret of this kind. */
  async send({ projectId, sandbox }: ProjectKind, request: FlowRequest): Promise<FlowResponse> {
    const { http, signer, clock } = this.options;
    const project = await this.options.project(projectId);
    if (!project) return NO_RESPONSE;
    for (let attempt = 0; ; attempt++) {
      const at = clock.now();
      const body = JSON.stringify(eventBody({ type: TYPE, created_at: at, data: request.data }));
      const signed = signer.projectHeaders(request.id, body, at, { ...project, sandbox });
      const { url, timeoutMs } = request;
      const result = await http.post({
        url,
        headers: { ...request.headers, ...signed },
        body,
        timeoutMs,
        readBody: true,
      });
      const isFinal =
        result.kind === 'failure' ? FINAL.has(result.failure) : result.status < 500 && result.status !== 429;
      if (isFinal || attempt >= request.retries) {
        return result.kind === 'failure' ? NO_RESPONSE : { status: result.status, body: result.body };
      }
      await pause(clock, FIRST_PAUSE_MS * 2 ** attempt);
    }
  }
}

const NO_RESPONSE: FlowResponse = { status: null, body: '' };
